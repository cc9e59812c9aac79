import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type { ConsoleSession } from '../../../src/console/contract.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { api } from './api.ts';
import { SESSION_KEY } from './session.ts';

/** Stands in place of every view until someone is logged in. */
export function LogIn(): ReactNode {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  useEffect(() => {
    document.title = 'Log in · Sheaf console';
  }, []);
  const logIn = useMutation({
    mutationFn: () => api.post<ConsoleSession>('session', { email, password }),
    onSuccess: (session) => client.setQueryData(SESSION_KEY, session),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    logIn.mutate();
  };
  return (
    <main className="gate">
      <form className="card" onSubmit={submit}>
        <h1>Log in to Sheaf</h1>
        {logIn.error && <ErrorNotice error={logIn.error} />}
        <Field label="Email">
          {(control) => (
            <TextInput
              {...control}
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
