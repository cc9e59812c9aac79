// The files of a new project, beside its definitions.
import { randomBytes } from 'node:crypto';
import { jsonText } from '../define/definition-files.ts';

const SECRET_BYTES = 32;
const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Where the content of a new project is kept, from its folder. */
const DATABASE = 'sqlite:data/content.db';

export const environmentFile = (): string => `\
# What belongs to this deployment alone. Keep it out of version control.
JWT_SECRET=${secret()}
API_TOKEN_SALT=${secret()}
DATABASE_URL=${DATABASE}
`;

export const ENVIRONMENT_EXAMPLE = `\
# Copy to .env and fill in; \`npx sheaf init\` makes one with new secrets where there is none.
JWT_SECRET=
API_TOKEN_SALT=
DATABASE_URL=${DATABASE}
`;

/** What a repository of the project does not hold. */
export const IGNORED = ['node_modules/', '.env', '.sheaf/', 'data/'] as const;

export const readmeFile = (name: string): string => `\
# ${name}

A content API, served by Sheaf.

\`\`\`sh
npm install
npx sheaf dev       # serves, and takes over changes of definitions and settings; prints requests to try
npx sheaf start     # serves
\`\`\`

| what                                                | where                                             |
| --------------------------------------------------- | ------------------------------------------------- |
| content-types                                       | \`src/api/<name>/content-types/<name>/schema.json\` |
| components                                          | \`src/components/<category>/<name>.json\`           |
| settings                                            | \`config/sheaf.json\`                               |
| secrets and the address of the database             | \`.env\`, which is not in version control           |
| the content, in an SQLite file                      | \`data/\`                                           |
| a token for development                             | \`.sheaf/dev-token\`                                |

\`npx sheaf type add author name:string!\` makes a content-type, and \`npx sheaf --help\` lists what else there is. The
format of definitions is described in \`node_modules/sheaf/docs/schema.md\`.

Nobody may read anything until a role is granted it: \`npx sheaf role grant public api::article.article.find\`.
`;

export interface PackageParts {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
}

export const SCRIPTS = { dev: 'sheaf dev', start: 'sheaf start' } as const;

export const packageFile = ({ name, dependencies, engines }: PackageParts): string =>
  jsonText({ name, private: true, scripts: SCRIPTS, dependencies, engines });
