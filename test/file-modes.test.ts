// Files that Sheaf makes are for the account it runs as: databases, mails and secrets hold what others must not read.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Mailer } from '../src/accounts/mail.ts';
import { open } from '../src/app.ts';
import { GUIDE } from './support/database.ts';

let root: string;
/** The mask of most accounts: everyone may read. */
let umask: number;

beforeEach(() => {
  umask = process.umask(0o022);
  root = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
});

afterEach(() => {
  process.umask(umask);
  rmSync(root, { recursive: true });
});

/** The modes of a folder and of all that it holds. */
function modes(folder: string): Record<string, string> {
  const names = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].sort();
  return Object.fromEntries(
    names.map((name) => [name, (statSync(path.join(folder, name)).mode & 0o777).toString(8)] as const),
  );
}

const mail = { to: 'ann@example.com', subject: 'Hello', html: '<p>Hello</p>' };

describe('What Sheaf writes to disk', () => {
  it('is for its own account alone: database, log of the database, secrets, mails', async () => {
    const state = path.join(root, 'state');
    const sheaf = await open({ project: GUIDE, database: `sqlite:${path.join(state, 'data.db')}`, state });
    try {
      const { mailer } = await sheaf.auth();
      await mailer.send(mail);
      const { '.': folder, mail: mailFolder, ...files } = modes(state);
      expect([folder, mailFolder]).toEqual(['700', '700']);
      expect(Object.keys(files)).toEqual([
        'data.db',
        'data.db-shm',
        'data.db-wal',
        expect.stringMatching(/^mail\/.*\.html$/),
        'secrets.json',
      ]);
      expect(new Set(Object.values(files))).toEqual(new Set(['600']));
    } finally {
      await sheaf.close();
    }
  });

  it('is closed where only mails or only secrets make the folder', async () => {
    await new Mailer('a@example.com', null, path.join(root, 'a', 'mail')).send(mail);
    const sheaf = await open({
      project: GUIDE,
      database: `sqlite:${path.join(root, 'b', 'data.db')}`,
      state: path.join(root, 'c'),
    });
    try {
      await sheaf.auth();
    } finally {
      await sheaf.close();
    }
    expect(modes(root)).toMatchObject({ a: '700', 'a/mail': '700', b: '700', c: '700' });
  });

  it('keeps the mode that it has', async () => {
    const state = path.join(root, 'state');
    const database = `sqlite:${path.join(state, 'data.db')}`;
    mkdirSync(path.join(state, 'mail'), { recursive: true });
    await (await open({ project: GUIDE, database, state })).close();
    chmodSync(path.join(state, 'data.db'), 0o640);
    const sheaf = await open({ project: GUIDE, database, state });
    try {
      const { mailer } = await sheaf.auth();
      await mailer.send(mail);
      expect(modes(state)).toMatchObject({
        '.': '755',
        mail: '755',
        'data.db': '640',
        'data.db-wal': '640',
        'data.db-shm': '640',
      });
    } finally {
      await sheaf.close();
    }
  });
});
