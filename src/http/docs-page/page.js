// Starts the viewer. What it shows depends on who asks, so it is loaded anew with a token that is entered.
const viewer = document.getElementById('viewer');
const SCHEMAS = '#/components/schemas/';
let ui = null;

const isObject = (value) => typeof value === 'object' && value !== null;

/** The names of schemas that a value refers to. */
function referred(value, names = new Set()) {
  if (!isObject(value)) return names;
  if (typeof value.$ref === 'string' && value.$ref.startsWith(SCHEMAS)) names.add(value.$ref.slice(SCHEMAS.length));
  for (const inner of Object.values(value)) referred(inner, names);
  return names;
}

/** A schema as OpenAPI 3.0 has it: with one type, and without constants. */
function inOldForm({ const: constant, ...schema }) {
  const { type } = schema;
  return {
    ...schema,
    ...(constant !== undefined && { enum: [constant] }),
    ...(Array.isArray(type) && { type: type[0], ...(type.includes('null') && { nullable: true }) }),
  };
}

/**
 * The viewer writes out whatever is referred to, and would not come to an end where types lead to each other. A reference
 * on a way that leads back is shown by its name.
 */
function withoutCycles(description) {
  const { schemas } = description.components;
  const direct = new Map(Object.entries(schemas).map(([name, schema]) => [name, referred(schema)]));
  const reached = new Map();
  for (const name of direct.keys()) {
    const found = new Set();
    const waiting = [...direct.get(name)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      if (!found.has(next)) {
        found.add(next);
        waiting.push(...(direct.get(next) ?? []));
      }
    reached.set(name, found);
  }
  const cut = (value, from) => {
    if (Array.isArray(value)) return value.map((item) => cut(item, from));
    if (!isObject(value)) return value;
    const target = typeof value.$ref === 'string' ? value.$ref.slice(SCHEMAS.length) : null;
    if (target !== null && reached.get(target)?.has(from)) return { title: target };
    return Object.fromEntries(Object.entries(inOldForm(value)).map(([key, inner]) => [key, cut(inner, from)]));
  };
  const shown = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cut(schema, name)]));
  return { ...description, components: { ...description.components, schemas: shown } };
}

const resolved = (description, value) =>
  typeof value?.$ref === 'string'
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((inner, key) => inner[key], description)
    : value;

/** Of a response what it means and, of one that succeeds, what it holds without \`fields\`. */
function shownResponse(description, response) {
  const { description: text, content = {} } = resolved(description, response);
  const types = Object.entries(content).map(([type, { schema, example }]) => [
    type,
    { schema: schema.anyOf?.[0] ?? schema, example },
  ]);
  return response.$ref ? { description: text } : { description: text, content: Object.fromEntries(types) };
}

/** The grammar of a parameter is too large to be written out; its name leads to it in the description. */
function shownParameter({ schema, style }) {
  const [name] = referred(schema);
  return name === undefined ? schema : { type: style === 'deepObject' ? 'object' : 'string', title: name };
}

/** Bodies of parameters are as large as the grammar of all of them. */
const shownBody = (content) =>
  content['application/json']?.schema.properties?.filters
    ? { 'application/json': { schema: { type: 'object', title: 'Parameters' } } }
    : content;

/**
 * What the viewer can show in time: it writes out everything that an operation refers to, and takes many times as long
 * for a document of 3.1 as for one of 3.0.
 */
function shortened(description) {
  const operation = (one) => ({
    ...one,
    ...(one.requestBody && { requestBody: { ...one.requestBody, content: shownBody(one.requestBody.content) } }),
    responses: Object.fromEntries(
      Object.entries(one.responses).map(([status, response]) => [status, shownResponse(description, response)]),
    ),
  });
  const paths = Object.entries(description.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item)
        .filter(([method]) => !method.startsWith('x-'))
        .map(([method, one]) => [method, operation(one)]),
    ),
  ]);
  const parameters = Object.entries(description.components.parameters ?? {}).map(([name, one]) => [
    name,
    { ...one, schema: shownParameter(one) },
  ]);
  const { schemas, securitySchemes } = description.components;
  const { info, servers, tags } = description;
  return {
    openapi: '3.0.3',
    info,
    servers,
    tags,
    paths: Object.fromEntries(paths),
    components: { parameters: Object.fromEntries(parameters), schemas, securitySchemes },
  };
}

/** Without the schemas that nothing refers to any more. */
function withoutUnused(description) {
  const { schemas } = description.components;
  const used = new Set();
  const waiting = [...referred({ ...description, components: { ...description.components, schemas: {} } })];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    if (!used.has(next)) {
      used.add(next);
      waiting.push(...referred(schemas[next]));
    }
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...description, components: { ...description.components, schemas: kept } };
}

/** Shows what the owner of a token may do; without one, what everyone may. */
async function load(token) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const answer = await fetch(new URL(viewer.dataset.document, document.baseURI), { headers });
  if (!answer.ok) return;
  const spec = withoutUnused(withoutCycles(shortened(await answer.json())));
  if (ui) ui.specActions.updateSpec(JSON.stringify(spec));
  else ui = start(spec);
}

const reloading = (tokenIn) => (original) => (payload) => {
  load(tokenIn(payload));
  return original(payload);
};

const start = (spec) =>
  window.SwaggerUIBundle({
    spec,
    domNode: viewer,
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    validatorUrl: null,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [
      () => ({
        statePlugins: {
          auth: {
            wrapActions: { authorize: reloading(({ bearer }) => bearer?.value), logout: reloading(() => null) },
          },
        },
      }),
    ],
  });

load(null);
