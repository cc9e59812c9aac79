import { afterEach, expect, it, vi } from 'vitest';
import type { Sheaf } from '../../../app.ts';
import { MAX_STRAPI_HOOK_MS } from '../../../limits.ts';
import type { ContentType } from '../../../model/types.ts';
import { Lifecycles } from './lifecycles.ts';

afterEach(() => vi.useRealTimers());

it('gives up a lifecycle that does not end, and names it', async () => {
  vi.useFakeTimers();
  const lifecycles = new Lifecycles({ code: { findings: [] } } as unknown as Sheaf);
  lifecycles.subscribe({ models: ['api::a.a'], beforeCount: () => new Promise(() => undefined) });
  const type = { uid: 'api::a.a', attributes: new Map() } as unknown as ContentType;
  const counted = lifecycles.around(type, 'Count', {}, async () => 1).catch((error) => error);
  await vi.advanceTimersByTimeAsync(MAX_STRAPI_HOOK_MS);
  expect(await counted).toMatchObject({
    status: 503,
    cause: { message: expect.stringMatching(/^beforeCount of api::a\.a was given up: .*MAX_STRAPI_HOOK_MS/) },
  });
});
