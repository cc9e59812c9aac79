// A Strapi project whose code runs unchanged: the fixture has one file for each form that code takes, and this file asks
// it by a table of requests.
import { cpSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { type Answer, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/projects/strapi-code', import.meta.url));

describeOnEveryDatabase('The code of a Strapi project', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;

  beforeAll(async () => {
    const folder = contents.folder();
    cpSync(FIXTURE, folder, { recursive: true });
    site = await guarded.open(folder, { database: await engine.bareDatabaseUrl(null) });
    const tag = await site.sheaf.documents('api::tag.tag').create({ data: { name: 'red' } });
    for (const title of ['a', 'b'])
      await site.sheaf.documents('api::thing.thing').create({
        data: { title, secret: 's', tags: [tag.documentId], parts: [{ label: 'one', hidden: 'h' }] },
        status: 'published',
      });
    await site.auth.roles.grant('public', ['api::thing.thing', 'api::tag.tag']);
  });

  it('answers', async () => {
    const a: Answer = await site.get('things');
    console.log(a.status, JSON.stringify(a.body), a.headers['x-with-tags']);
    for (const url of [
      'things/special',
      'things/counted',
      'things/7/echo/x?a[b]=1&c=2',
      'things/late',
      'tags',
      'homepage',
      'things/aggregate?count=*',
    ]) {
      const b = await site.get(url);
      console.log(url, b.status, JSON.stringify(b.body));
    }
    console.log(await site.post('things', { title: 'x' }));
    console.log(await site.post('things', { title: 'x' }, { 'x-key': 'wrong' }));
    console.log(await site.post('things', { title: 'x' }, { 'x-key': 'right' }));
    expect(path.basename(FIXTURE)).toBe('strapi-code');
  });
});
