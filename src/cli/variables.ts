// The variables of the environment that stand for no option, for `sheaf help environment` and docs/cli.md.
export const VARIABLES: readonly (readonly [name: string, text: string])[] = [
  ['DATABASE_REPLICA_URLS', 'streaming replicas of the PostgreSQL database, which reads go to, with commas between'],
  ['DATABASE_POOL_MAX', 'connections of one process to each PostgreSQL server; 10'],
  ['DATABASE_CLIENT', 'sqlite or postgres: the variables below name the database, where nothing else does'],
  ['DATABASE_FILENAME', 'the SQLite file'],
  ['DATABASE_HOST, DATABASE_PORT', 'where the PostgreSQL server is'],
  ['DATABASE_NAME, DATABASE_SCHEMA', 'which of its databases, and which schema in it'],
  ['DATABASE_USERNAME, DATABASE_PASSWORD', 'the account there'],
  ['DATABASE_SSL', 'true asks for TLS'],
  ['DATABASE_SSL_REJECT_UNAUTHORIZED', "false skips the check of the server's certificate"],
  ['JWT_SECRET', 'what log-ins are signed with; made at random and kept in .sheaf where it is not set'],
  ['JWT_PRIVATE_KEY', 'the key, in PEM form, where auth.jwt.algorithm in config/sheaf.json asks for a key pair'],
  ['API_TOKEN_SALT', 'what API tokens are stored under; made at random and kept in .sheaf where it is not set'],
  ['SMTP_URL', 'the mail server, such as smtps://user:password@host; without it mails are written to files in .sheaf'],
  [
    'LOG_LEVEL',
    'trace, debug, info, warn, error, fatal or silent; info, the default, logs each request on standard error',
  ],
  [
    'SHEAF_METRICS',
    'where metrics are served: a path such as /metrics, a port such as 9464, or a host and a port; nowhere by default',
  ],
  [
    'SHEAF_TRACES',
    'true traces requests by OpenTelemetry; its own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT, say where to',
  ],
  ['NODE_ENV', 'which folder of config/env is read, over the files of config'],
  ['NODE_OPTIONS', 'read by Node; workers get --max-semi-space-size=8 where it does not say another size'],
];
