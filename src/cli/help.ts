// The text of `sheaf --help`.

export const HELP = `sheaf: serves structured content over HTTP, with deep filters and ordered relations.

Usage
  sheaf start [options]             serve a content project
  sheaf explain [options] REQUEST   show how a request would be answered
  sheaf --help | --version

Options                 (variable)        default
  --project DIR         SHEAF_PROJECT     the current folder; the one that holds src/api
  --database URL        DATABASE_URL      sqlite:PATH
  --host HOST           HOST              127.0.0.1; only this machine until roles exist
  --port N              PORT              1337; 0 takes any free port
  --example             -                 the restaurant guide that comes with sheaf, on a database of its own

Examples
  sheaf start --example
  sheaf start --project ./my-project --database sqlite:./my-project/.tmp/data.db
  sheaf explain --example '/api/restaurants?filters[chef][name]=Chiara&populate=categories'

A project is a folder with src/api/<name>/content-types/<name>/schema.json and src/components/<category>/<name>.json.
`;
