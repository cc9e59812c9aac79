import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { TextInput } from './field.tsx';

/** How long a person pauses before what was typed is searched for, in milliseconds. */
const PAUSE = 200;

interface SearchBoxProps {
  readonly label: string;
  /** What is searched for now, such as the parameter of the URL. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Tells what is typed after a pause, or at once on Enter. */
export function SearchBox({ label, value, onChange }: SearchBoxProps): ReactNode {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useEffectEvent((next: string) => {
    if (next === told.current) return;
    told.current = next;
    onChange(next);
  });
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => tell(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text === told.current) return;
    told.current = text;
    onChange(text);
  };
  return (
    <search className="search-box">
      <form onSubmit={submit}>
        <TextInput
          type="search"
          aria-label={label}
          placeholder={label}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </search>
  );
}
