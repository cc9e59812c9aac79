// Which of the code that was found runs. What does not run keeps closed what it guards.
import { APPLICATION, type CodeFinding, type CodeKind, UNREADABLE } from './code-finding.ts';

const RUN_KINDS: ReadonlySet<CodeKind> = new Set([
  'controller',
  'service',
  'routes',
  'policies',
  'middlewares',
  'lifecycles',
  'documents.use',
  'register',
  'cron',
  'destroy',
]);

/** Whether the code runs, or what it stands for is kept by the routes of the project. */
export function isRun({ kind, file, subject, closes, does }: CodeFinding): boolean {
  if (file.startsWith('src/plugins/')) return false;
  if (kind === 'extension') return subject === 'plugin::users-permissions';
  // What bootstrap closes is a part of Strapi that it replaces; the rest of it runs.
  if (kind === 'bootstrap') return closes === 'nothing';
  // A middleware for everything runs where the configuration lists it; strapi.server is not there to take one.
  if (kind === 'middlewares' && subject === APPLICATION) return file.startsWith('config/');
  // Of accounts and files, events of reading are not told. Of what cannot be read beforehand, the start finds out.
  if (kind === 'lifecycles' && closes === 'all')
    return does.startsWith(UNREADABLE) || subject?.startsWith('api::') === true;
  return RUN_KINDS.has(kind);
}
