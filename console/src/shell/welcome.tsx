// Where a link leads that was printed or handed on: its owner chooses a password, the first one makes an account.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { ConsoleSession, Welcome, WelcomeInput } from '../../../src/console/contract.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { ErrorNotice, Spinner } from '../ui/notice.tsx';
import { api } from './api.ts';
import { otherProblem, problemOf } from './problems.ts';
import { beginSession } from './session.ts';

export function WelcomePage(): ReactNode {
  const token = new URLSearchParams(useSearch()).get('token') ?? '';
  const link = useQuery({
    queryKey: ['welcome', token],
    queryFn: () => api.get<Welcome>(`welcome?token=${encodeURIComponent(token)}`),
  });
  useEffect(() => {
    document.title = 'Welcome · Sheaf console';
  }, []);
  return (
    <main className="gate">
      {link.isPending && <Spinner />}
      {link.error && (
        <div className="card">
          <h1>This link cannot be used</h1>
          <ErrorNotice error={link.error} />
          <p>
            If you have chosen a password, log in with it. If not, ask for a new link: whoever manages accounts makes
            one under People, and whoever runs the server with <code>sheaf admin reset</code>. As long as nobody has an
            account, every start of the server prints one.
          </p>
          <div>
            <ButtonLink href="/content">Log in</ButtonLink>
          </div>
        </div>
      )}
      {link.data && <WelcomeForm token={token} welcome={link.data} />}
    </main>
  );
}

interface TextOptions {
  readonly type?: string;
  readonly autoComplete: string;
  readonly hint?: string;
}

function WelcomeForm({ token, welcome }: { readonly token: string; readonly welcome: Welcome }): ReactNode {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [input, setInput] = useState<Omit<WelcomeInput, 'token'>>({ password: '' });
  const isFirst = welcome.account === null;
  const create = useMutation({
    mutationFn: () => api.post<ConsoleSession>('welcome', { token, ...input }),
    onSuccess: (session) => {
      beginSession(client, session);
      navigate('/content', { replace: true });
    },
  });
  const form = useRef<HTMLFormElement>(null);
  // At the beginning the first, then what is not right.
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (wrong ?? form.current?.querySelector('input'))?.focus();
  }, [create.error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const fields = isFirst ? ['firstname', 'lastname', 'email', 'password'] : ['password'];
  const other = otherProblem(create.error, fields);
  const text = (name: keyof typeof input, label: string, { hint, ...rest }: TextOptions): ReactNode => (
    <Field label={label} hint={hint} error={problemOf(create.error, name)}>
      {(control) => (
        <TextInput
          {...control}
          {...rest}
          required={name !== 'lastname'}
          value={input[name] ?? ''}
          onChange={(event) => setInput({ ...input, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <form ref={form} className="card" onSubmit={submit}>
      <h1>{isFirst ? 'Create the first account' : 'Choose a password'}</h1>
      {isFirst ? (
        <p className="soft">It may do everything, and makes the accounts of others.</p>
      ) : (
        <p className="soft">For {welcome.account?.email}</p>
      )}
      {other && <ErrorNotice error={other} />}
      {isFirst && text('firstname', 'First name', { autoComplete: 'given-name' })}
      {isFirst && text('lastname', 'Last name', { autoComplete: 'family-name' })}
      {isFirst && text('email', 'Email', { type: 'email', autoComplete: 'username' })}
      {text('password', 'Password', {
        type: 'password',
        autoComplete: 'new-password',
        hint: 'At least 8 characters, with a digit, a lower-case and an upper-case letter.',
      })}
      <Button kind="primary" type="submit" disabled={create.isPending}>
        {isFirst ? 'Create the account' : 'Set the password'}
      </Button>
    </form>
  );
}
