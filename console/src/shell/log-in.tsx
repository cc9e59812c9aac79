import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ConsoleSession } from '../../../src/console/contract.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { api } from './api.ts';
import { beginSession } from './session.ts';

interface LogInProps {
  /** Whether someone was logged in here, in this page. */
  readonly isAgain: boolean;
}

/** Stands in place of every view until someone is logged in. */
export function LogIn({ isAgain }: LogInProps): ReactNode {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Log in · Sheaf console';
    emailInput.current?.focus();
  }, []);
  const logIn = useMutation({
    mutationFn: () => api.post<ConsoleSession>('session', { email, password }),
    onSuccess: (session) => beginSession(client, session),
    onError: () => passwordInput.current?.select(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    logIn.mutate();
  };
  return (
    <main className="gate">
      <form className="card" onSubmit={submit}>
        <h1>Log in to Sheaf</h1>
        {isAgain && !logIn.error && (
          <Notice>
            Your session has ended. Log in to go on where you were. Entries that you had not saved are kept in this
            browser.
          </Notice>
        )}
        {logIn.error && <ErrorNotice error={logIn.error} />}
        <Field label="Email">
          {(control) => (
            <TextInput
              {...control}
              ref={emailInput}
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Password">
          {(control) => (
            <TextInput
              {...control}
              ref={passwordInput}
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" disabled={logIn.isPending}>
          Log in
        </Button>
        <p className="soft">
          No account yet? Whoever runs the server makes one with <code>sheaf admin create</code>.
        </p>
      </form>
    </main>
  );
}
