// Puts together everything about who asks, over one database: grants, tokens, sessions, accounts.
// Refuses the start where the rules of the project cannot be used.

import { ROW_USES } from '../access/access.ts';
import { Accesses, roleAccess } from '../access/role-access.ts';
import { type Rules, readRules, ruleLocation } from '../access/rules.ts';
import type { Withheld } from '../access/withheld.ts';
import type { Database } from '../db/database.ts';
import { isAdopted } from '../db/stored-settings.ts';
import { SetupError, SheafError } from '../errors.ts';
import type { Model } from '../model/types.ts';
import type { Operations } from '../operations/operations.ts';
import { ruleProblems } from '../plan/read/check-rules.ts';
import type { GivenSecrets } from '../project/given-secrets.ts';
import type { Settings } from '../project/settings.ts';
import { AccountStatements, lackingParts } from '../sql/account-statements.ts';
import { RuleStatements } from '../store/rule-statements.ts';
import { ApiTokens } from './api-tokens.ts';
import { Authenticator } from './authenticate.ts';
import { Grants } from './grants.ts';
import { type Claims, Jwt, jwtKeys } from './jwt.ts';
import { DEFAULT_SENDER, Mailer } from './mail.ts';
import { RoleWriter } from './role-writer.ts';
import { Roles } from './roles.ts';
import { missingSecrets, readSecrets } from './secrets.ts';
import { Sessions } from './sessions.ts';
import { Accounts } from './sign-in.ts';

export interface AuthOptions {
  readonly project: string;
  /** Where secrets that are not given, and mails that are not sent, are kept. */
  readonly state: string;
  readonly secrets: GivenSecrets;
  readonly smtp: string | null;
  readonly settings: Settings;
  /** Actions that nobody has, however they are granted. */
  readonly withheld: Withheld;
  /** Actions of the project's own routes. */
  readonly actions: readonly string[];
  readonly onMailError: (error: Error) => void;
}

export interface Auth {
  readonly settings: Settings;
  readonly grants: Grants;
  readonly roles: Roles;
  readonly roleWriter: RoleWriter;
  readonly authenticator: Authenticator;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly mailer: Mailer;
  /** What access/*.json declares, by the type of the role. */
  readonly rules: Rules['byRole'];
  readonly jwt: Jwt;
  /** Types of roles that rules or costs are declared for, and that are not there. */
  readonly unknownRoles: readonly string[];
  /** Variables of secrets that are made up until the server ends, so that tokens made with the right ones are refused. */
  readonly missingSecrets: readonly string[];
  /** Whether the database has another mark by now than the one that a caller was known by; not where it is away. */
  isStale(knownBy: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function openAuth(operations: Operations, options: AuthOptions): Promise<Auth> {
  const { model, database } = operations;
  const { settings } = options;
  const rules = openRules(options.project, model, database);
  const secrets = readSecrets(options.secrets, options.state, database.isReadOnly);
  const lacking = database.isReadOnly ? lackingParts(await database.describe()) : new Set<string>();
  const statements = new AccountStatements(database.dialect, lacking);
  const accesses = new Accesses(model, rules.byRole, options.withheld, {
    ...settings.readCost,
    uploadReplaces: settings.files.uploadReplaces ?? (await isAdopted(database)),
    ...settings.aggregates,
  });
  const grants = new Grants(accesses, operations, statements);
  await grants.open();
  operations.refresh = () => grants.refresh();
  const keys = jwtKeys(settings.auth.jwt, secrets.jwt, options.secrets.jwtPrivateKey);
  const jwt = new Jwt(keys, settings.auth.jwt);
  const tokens = new ApiTokens(accesses, database, statements, secrets.apiTokenSalt);
  const authenticator = new Authenticator({ model, database, statements, grants, jwt, tokens });
  const admits = (claims: Claims): Promise<boolean> => authenticator.admits(claims);
  const sessions = new Sessions({ database, statements, jwt, settings: settings.auth, admits });
  const mailer = new Mailer(settings.email.from ?? DEFAULT_SENDER, options.smtp, `${options.state}/mail`);
  const accounts = new Accounts({
    database,
    statements,
    grants,
    sessions,
    authenticator,
    mailer,
    settings,
    operations,
    onMailError: options.onMailError,
  });
  const own = options.actions;
  const roles = new Roles({ model, database, statements, own }, () => grants.invalidate());
  return {
    settings,
    grants,
    roles,
    roleWriter: new RoleWriter({ model, database, roles, grants, accounts, rules: rules.byRole, own }),
    authenticator,
    accounts,
    sessions,
    tokens,
    mailer,
    rules: rules.byRole,
    jwt,
    unknownRoles: [...rules.byRole.keys(), ...Object.keys(settings.readCost.roles)].filter(
      (type) => !grants.roles.some((role) => role.type === type),
    ),
    missingSecrets: database.isReadOnly ? missingSecrets(options.secrets, options.state) : [],
    isStale: (knownBy) =>
      database.mark().then(
        (mark) => mark !== knownBy,
        () => false,
      ),
    async close() {
      await accounts.settle();
      mailer.close();
    },
  };
}

/** Reads the rules and reports all their problems at once. */
function openRules(project: string, model: Model, database: Database): Rules {
  const rules = readRules(project, model);
  // A filter that cannot be planned fails both checks, with the same message.
  const problems = new Set([
    ...rules.problems,
    ...ruleProblems(model, rules),
    ...valueProblems(model, database, rules),
  ]);
  if (problems.size > 0) throw new SetupError('The access rules cannot be used:', [...problems]);
  return rules;
}

/** Values that stand in rules must be of the type that they are compared with; better reported now than to a client. */
function valueProblems(model: Model, database: Database, rules: Rules): string[] {
  const statements = new RuleStatements(model, database.dialect);
  const problems: string[] = [];
  for (const [type, ofRole] of rules.byRole) {
    const access = roleAccess(model, { id: 0, type, name: type, actions: new Set() }, ofRole, 0);
    for (const [uid, { file, rows }] of ofRole)
      for (const use of ROW_USES.filter((one) => rows[one] !== undefined))
        try {
          statements.statement({ ...access, key: `${type} ${uid}` }, model.contentTypes.get(uid)!, use, 'published');
        } catch (error) {
          if (!(error instanceof SheafError)) throw error;
          problems.push(`${ruleLocation(file, type, uid, use)}: ${error.message}`);
        }
  }
  return problems;
}
