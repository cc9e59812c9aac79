// The OpenAPI document of a project: what a caller may do, of the model, the routes and the caller's rights. The same for
// the same input, with sorted names, so that a comparison of two shows what changed in the API.
import { actionsOf } from '../access/actions.ts';
import type { ContentType, RelationAttribute } from '../model/types.ts';
import { isObject } from '../type-guards.ts';
import { type DescribedProject, Description } from './description.ts';
import { titleOf } from './examples.ts';
import { NamedSchemas } from './named-schemas.ts';
import { type Parameter, parameterName, pathParameter, queryParameter } from './query-parameters.ts';
import {
  type ErrorStatus,
  errorComponents,
  errorResponses,
  HAS_BODY,
  headerComponents,
  headersOf,
  jsonContent,
  NEEDS_RIGHT,
  type OpenApiObject,
  RATE_LIMIT_HEADERS,
  READ_HEADERS,
  WRITE_HEADERS,
} from './responses.ts';
import { type DescribedRoute, groupOf, kindOf, type RouteNames } from './route-kinds.ts';
import { pascal } from './schema-names.ts';
import { sortedKeys } from './sorted-keys.ts';

export interface OpenApiInput extends DescribedProject {
  readonly routes: readonly DescribedRoute[];
}

const INFO = `The content API of this project. Lists, entries and writes follow the REST dialect of Strapi 5.

- A response shows every attribute of an entry, unless \`fields\` names some; then it is of the schema \`…Selected\`.
- What \`populate\` adds to an entry is optional in its schema.
- Filters may be of any depth; the server takes as many conditions and levels as its limits allow.
- \`QUERY\` with a body does the same as \`POST\` where \`x-query\` says so; OpenAPI 3.1 has no such method.`;

export function openApiDocument(input: OpenApiInput): OpenApiObject {
  const { settings } = input;
  const description = new Description(input, new NamedSchemas('#/components/schemas/'));
  const paths = new Paths(description);
  for (const route of input.routes) if (isOffered(input, route)) paths.add(route);
  const responses = errorComponents(description);
  return sortedKeys({
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: { title: settings.openapi.title, version: settings.openapi.version, description: INFO },
    servers: [{ url: settings.server.url ?? '/' }],
    tags: paths.tags(),
    paths: paths.all,
    components: {
      schemas: description.schemas.all(),
      parameters: paths.parameters,
      responses,
      headers: headerComponents(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `jwt` of a session, or an API token.',
        },
        refreshToken: {
          type: 'apiKey',
          in: 'cookie',
          name: settings.auth.cookie.name,
          description: 'What a session is renewed with.',
        },
      },
    },
  });
}

/** Whether the caller may use a route. */
function isOffered({ access }: OpenApiInput, { action, operation }: DescribedRoute): boolean {
  const actions = operation ? actionsOf(operation.type, operation.name) : [];
  return action === null || (access.may(action) && actions.every((one) => access.may(one)));
}

/** Those that OpenAPI has, as it writes them. */
const METHODS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  DELETE: 'delete',
  PATCH: 'patch',
};

const PATH_TEXTS: Readonly<Record<string, string>> = {
  documentId: 'The documentId of the entry.',
  sessionId: 'The id of the session.',
  uid: 'The uid of the content-type or component.',
  file: 'The name of a file.',
  path: 'The path of the file. It may have slashes.',
};

class Paths {
  readonly all: Record<string, Record<string, unknown>> = {};
  /** Those that routes refer to, by name. */
  readonly parameters: Record<string, Parameter> = {};
  readonly #description: Description;
  readonly #tags = new Map<string, string>();
  readonly #ids = new Set<string>();

  constructor(description: Description) {
    this.#description = description;
  }

  tags(): OpenApiObject[] {
    return [...this.#tags]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, description]) => ({ name, description }));
  }

  add(route: DescribedRoute): void {
    if (route.describes !== 'related') this.#add(route, route.path, route.operation?.type ?? null, '');
    else for (const { name, target } of this.#relations(route)) this.#addRelated(route, name, target);
  }

  /** One path for each relation: what it lists is of another type. */
  #addRelated(route: DescribedRoute, name: string, target: string): void {
    const type = this.#description.view.model.contentTypes.get(target)!;
    this.#add(route, route.path.replace(':relation', name), type, name);
  }

  #relations({ operation }: DescribedRoute): RelationAttribute[] {
    const attributes = operation ? this.#description.view.populated(operation.type) : [];
    return attributes.filter((attribute) => attribute.kind === 'relation');
  }

  /** `type`: of the entries that it shows. */
  #add(route: DescribedRoute, path: string, type: ContentType | null, relation: string): void {
    const template = path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
    this.all[template] ??= {};
    const item = this.all[template];
    const method = METHODS[route.method];
    if (method === undefined) {
      // The same as a POST with the same body, perhaps at a path of its own.
      const same = route.describes === 'listByBody' ? `${template}/query` : template;
      item[`x-${route.method.toLowerCase()}`] = { sameAs: `#/paths/${same.replaceAll('/', '~1')}/post` };
      return;
    }
    item[method] = this.#operation(route, template, type, relation);
  }

  #operation(route: DescribedRoute, template: string, shown: ContentType | null, relation: string): OpenApiObject {
    const description = this.#description;
    const kind = kindOf(route.describes);
    // Routes that show no entries do not look at it.
    const type = shown ?? description.view.model.contentTypes.values().next().value!;
    const names = namesOf(route, relation);
    const tag = groupOf(route.describes) ?? names.one;
    this.#tags.set(tag, tagText(route));
    const subject = { description, route, type };
    const parameters = [
      ...[...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name, PATH_TEXTS[name] ?? name)),
      ...(kind.body && isByBody(route) ? [] : this.#query(route, type)),
    ];
    return {
      operationId: this.#unique(kind.id(names)),
      summary: kind.summary(names),
      tags: [tag],
      ...(parameters.length > 0 && { parameters }),
      ...(kind.body && { requestBody: kind.body(subject) }),
      ...(route.schemas?.body && { requestBody: { required: true, content: jsonContent(route.schemas.body) } }),
      responses: this.#responses(route, subject),
      security: securityOf(route),
      ...(route.action !== null && { 'x-sheaf-action': route.action }),
    };
  }

  #query(route: DescribedRoute, type: ContentType): OpenApiObject[] {
    const isAggregate = route.describes === 'aggregate';
    if (route.describes === 'own') return ownParameters(route);
    return route.parameters.map((name) => {
      const key = parameterName(this.#description, type, name, isAggregate);
      this.parameters[key] ??= queryParameter(this.#description, type, name, isAggregate);
      return { $ref: `#/components/parameters/${key}` };
    });
  }

  #responses(route: DescribedRoute, subject: Parameters<NonNullable<ReturnType<typeof kindOf>['answer']>>[0]) {
    const kind = kindOf(route.describes);
    const isGet = route.method === 'GET';
    const headers = headersOf([
      ...(route.operation === null ? [] : isGet || isByBody(route) ? READ_HEADERS : WRITE_HEADERS),
      ...(route.limit !== null || route.operation !== null ? RATE_LIMIT_HEADERS : []),
    ]);
    const answers = (answer: typeof kind.answer): OpenApiObject => ({
      description: kind.summary(namesOf(route, '')),
      headers,
      ...(answer && { content: answer(subject) }),
    });
    const errors: ErrorStatus[] = [
      ...(route.action === null ? [] : [...NEEDS_RIGHT, 429 as const]),
      ...(kind.body ? HAS_BODY : []),
      ...(isGet || isByBody(route) ? [] : [405 as const]),
      ...(kind.errors ?? []),
    ];
    return {
      [kind.status]: answers(kind.answer),
      ...(kind.also && { [kind.also.status]: answers(kind.also.answer) }),
      ...(isGet && kind.status === 200 && { 304: { description: 'The client has it, by its tag.' } }),
      ...errorResponses(errors),
    };
  }

  #unique(id: string): string {
    let unique = id;
    for (let number = 2; this.#ids.has(unique); number++) unique = `${id}${number}`;
    this.#ids.add(unique);
    return unique;
  }
}

/** What a route of the project's own code takes, as it declares. */
function ownParameters({ parameters, schemas }: DescribedRoute): OpenApiObject[] {
  const { properties } = schemas?.query ?? {};
  const declared = isObject(properties) ? properties : {};
  return parameters.map((name) => ({ name, in: 'query', schema: declared[name] ?? {} }));
}

const isByBody = ({ describes }: DescribedRoute): boolean =>
  describes === 'listByBody' || describes === 'aggregateByBody';

function namesOf({ operation, method, path }: DescribedRoute, relation: string): RouteNames {
  const route = pascal(`${method.toLowerCase()} ${path}`);
  if (!operation) return { one: '', many: '', relation, route };
  const { type } = operation;
  return { one: titleOf(type), many: pascal(type.pluralName), relation: pascal(relation), route };
}

const GROUP_TEXTS: Readonly<Record<string, string>> = {
  'Users and roles': 'Accounts, and what they may do.',
  Authentication: 'Logging in and out, registering, passwords, sessions.',
  Files: 'Files and what is said of them.',
  Server: 'The server itself, and what holds for the whole project.',
};

const tagText = ({ describes, operation }: DescribedRoute): string => {
  const group = groupOf(describes);
  return group === null ? (operation?.type.uid ?? '') : GROUP_TEXTS[group]!;
};

/** A token is needed where the public has not the right. */
function securityOf({ action, describes }: DescribedRoute): OpenApiObject[] {
  if (action === null) return describes === 'openapi' ? [{ bearer: [] }, {}] : [];
  return describes === 'refresh' ? [{ refreshToken: [] }, {}] : [{ bearer: [] }, {}];
}
