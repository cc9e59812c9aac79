// The text of `sheaf --help`.

export const HELP = `sheaf: serves structured content over HTTP, with deep filters and ordered relations.

Usage
  sheaf start [options]             serve a content project
  sheaf config [options]            show every setting that holds and where it comes from; --json as JSON
  sheaf schema diff [options]       show what a start would make in the database
  sheaf schema apply [options]      make it; nothing is ever dropped or rewritten
  sheaf explain [options] REQUEST   show how a request would be answered and what it costs; --as ROLE in the eyes of a
                                    role, --json as JSON
  sheaf adopt [DIR]                 read a project of Strapi and its database and say what will work, what differs and
                                    why; changes neither; --write writes config/sheaf.json, --json as JSON
  sheaf compare --with URL          send the same reads to a running Strapi and to Sheaf, and show what differs and why;
                                    the reads: --requests FILE, --log FILE or --generate N [--seed N];
                                    [--sheaf URL] [--token TOKEN] [--header 'Name: value'] [--json]
  sheaf role show [ROLE]            what a role may do; also create NAME, grant ROLE ACTION…, revoke ROLE ACTION…
  sheaf user list                   also create --username NAME --email ADDRESS [--role ROLE], block NAME, unblock NAME
  sheaf token create NAME           [--type read-only|full-access|custom] [--days N] [ACTION…]; also revoke NAME
  sheaf --help | --version

Options                 (variable)        default
  --project DIR         SHEAF_PROJECT     the current folder; the one that holds src/api
  --database URL        DATABASE_URL      what config/database names; sqlite:PATH, made where it is missing, or
                                          postgres://user:password@host/name
  --host HOST           HOST              what config/server says, or 127.0.0.1; off this machine only with a JWT_SECRET
  --port N              PORT              what config/server says, or 1337; 0 takes any free port
  --workers N           SHEAF_WORKERS     1; more processes use more cores
  --read-only           SHEAF_READ_ONLY   write nothing, to a database that is there; writes are refused
  --example             -                 the restaurant guide that comes with sheaf, on a database of its own
  --json                -                 what role, user and token commands did, for programs
  --yes                 -                 grant '*' without being asked

Besides, from the environment: DATABASE_REPLICA_URLS (replicas that reads go to, with commas between),
DATABASE_POOL_MAX (connections of one process, 10), DATABASE_CLIENT, _HOST, _PORT, _NAME, _USERNAME, _PASSWORD,
_SCHEMA, _SSL, _FILENAME in place of DATABASE_URL; JWT_SECRET and API_TOKEN_SALT (made at random and kept in .sheaf where
they are not set), JWT_PRIVATE_KEY, SMTP_URL; LOG_LEVEL (trace, debug, info, warn, error, fatal or silent; info logs
each request on standard error). A project's .env file is read as well, and so are config/sheaf.json and the files of Strapi:
config/api, server, database, middlewares and plugins, with config/env/<NODE_ENV> over them.

Examples
  sheaf start --example
  sheaf start --project ./my-project --database sqlite:./my-project/.tmp/data.db
  sheaf role grant public api::article.article.find api::article.article.findOne \\
    --project ./my-project --database sqlite:./my-project/.tmp/data.db
  sheaf explain --example '/api/restaurants?filters[chef][name]=Chiara&populate=categories'

A project is a folder with src/api/<name>/content-types/<name>/schema.json and src/components/<category>/<name>.json.
`;
