// `sheaf explain`: the plan of a request, its statements, and what the database says of each.

import { type Access, everything } from '../access/access.ts';
import { actionOn } from '../access/actions.ts';
import { open, type Sheaf } from '../app.ts';
import { SetupError } from '../errors.ts';
import { openOptions, type ServerConfig } from '../project/environment.ts';
import { bindStatement } from '../read/bind.ts';
import { FIRST_PAGE } from '../request/parse-read.ts';
import { parseQueryString } from '../request/query-string.ts';
import type { CompiledEntity } from '../sql/compile-read.ts';
import type { Statement } from '../sql/statement.ts';

/** `role`: in whose eyes; null for one who may do everything. */
export async function explain(config: ServerConfig, target: string, role: string | null): Promise<string> {
  const sheaf = await open(openOptions(config));
  try {
    return await explainRequest(sheaf, target, role);
  } finally {
    await sheaf.close();
  }
}

async function accessOf(sheaf: Sheaf, role: string | null): Promise<Access> {
  if (role === null) return everything(sheaf.model);
  const { roles, grants } = await sheaf.auth();
  return grants.role((await roles.find(role)).id)!.access;
}

export async function explainRequest(sheaf: Sheaf, target: string, role: string | null = null): Promise<string> {
  const access = await accessOf(sheaf, role);
  const [pathname, query = ''] = splitTarget(target);
  const [, prefix, name, documentId, ...rest] = pathname.split('/');
  const type = [...sheaf.model.contentTypes.values()].find(
    (one) => one.exposure === 'routes' && name === (one.kind === 'singleType' ? one.singularName : one.pluralName),
  );
  if (prefix !== 'api' || !type || rest.length > 0)
    throw new SetupError(`No route answers ${pathname}`, [
      'expected a path such as /api/restaurants?filters[name]=Alba',
    ]);
  const action = actionOn(type, documentId !== undefined ? 'findOne' : 'find');
  if (!access.may(action))
    throw new SetupError(`${role} may not do that`, [`grant it: sheaf role grant ${role} ${action}`]);
  const one = type.kind === 'singleType' || documentId !== undefined;
  const { request, read, context } = sheaf.pipeline.explain(
    {
      uid: type.uid,
      parameters: parseQueryString(query),
      defaults: { status: 'published', pagination: FIRST_PAGE },
      access,
      action,
    },
    documentId !== undefined,
  );
  const statements: [string, Statement][] = one
    ? [['the entry', read.first()]]
    : [
        ['ids of the page and total', read.page(request.pagination.withCount)],
        ['columns of the page', read.rows()],
      ];
  if (read.oneTrip) {
    const page = request.pagination.withCount ? 'page and total' : 'page';
    statements.splice(0, statements.length, ['the whole answer', read.answer(one ? 'first' : page)]);
  } else collectPopulates(read.entity, [], statements);
  const values = { ...context, ...request.pagination, documentId: documentId ?? null, ids: '[]' };
  const parts = [`Request\n${pathname}${query && `?${query}`}`, `Plan\n${JSON.stringify(read.plan, null, 2)}`];
  for (const [title, statement] of statements) {
    const bound = bindStatement(statement, request.values).values({
      defaultLocale: values.defaultLocale,
      documentId: values.documentId,
      ids: values.ids,
      limit: values.limit,
      start: values.start,
    });
    const steps = await sheaf.pipeline.database.explain(statement, bound);
    parts.push(
      `SQL: ${title}\n${statement.sql}`,
      `Query plan: ${title}\n${steps.map((step) => `  ${step}`).join('\n')}`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}

const splitTarget = (target: string): [string, string?] => {
  const mark = target.indexOf('?');
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
};

function collectPopulates(entity: CompiledEntity, path: readonly string[], into: [string, Statement][]): void {
  for (const { plan, statement, entities } of entity.populate) {
    const here = [...path, plan.key];
    into.push([`populate ${here.join('.')}`, statement]);
    for (const below of entities) collectPopulates(below, here, into);
  }
}
