import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import type { Sheaf } from '../../../app.ts';
import { MAX_STRAPI_HOOK_MS } from '../../../limits.ts';
import { loadModel } from '../../../model/build.ts';
import { Lifecycles } from './lifecycles.ts';

const GUIDE = fileURLToPath(new URL('../../../../examples/guide', import.meta.url));
const TAG = 'api::tag.tag';

afterEach(() => vi.useRealTimers());

it('gives up a lifecycle that does not end, and names it', async () => {
  vi.useFakeTimers();
  const model = loadModel(GUIDE);
  const lifecycles = new Lifecycles({ model, code: { findings: [] } } as unknown as Sheaf);
  lifecycles.subscribe({ models: [TAG], beforeCount: () => new Promise(() => undefined) });
  const type = model.contentTypes.get(TAG)!;
  const counted = lifecycles.around(type, 'Count', {}, async () => 1).catch((error) => error);
  await vi.advanceTimersByTimeAsync(MAX_STRAPI_HOOK_MS);
  expect(await counted).toMatchObject({
    status: 503,
    cause: { message: expect.stringMatching(/^beforeCount of api::tag\.tag was given up: .*MAX_STRAPI_HOOK_MS/) },
  });
});
