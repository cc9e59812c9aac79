// What a receiver reads is what the sender meant, however many plans there are.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sqliteDialect } from '../sql/dialect-sqlite.ts';
import type { ReadJob } from './read-job.ts';
import { ReceivedPlans, type SentJob, SentPlans } from './sent-plans.ts';

/** No part of a plan matters here but which one it is. */
const jobOf = (name: number): ReadJob => ({
  kind: 'page',
  plan: { name } as unknown as ReadJob['plan'],
  slots: [],
  context: { defaultLocale: 'en' },
});

it('Every job is run with its own plan', () => {
  const jobs = Array.from({ length: 100 }, (_, name) => jobOf(name));
  fc.assert(
    fc.property(fc.array(fc.nat({ max: jobs.length - 1 }), { maxLength: 400 }), (names) => {
      const sender = new SentPlans();
      const receiver = new ReceivedPlans(sqliteDialect);
      for (const name of names) {
        const sent = structuredClone(sender.toSend(jobs[name]!));
        expect(receiver.readOf(sent).plan).toEqual({ name });
      }
    }),
  );
});

it('A plan is sent once and compiled once, until others have taken its place', () => {
  const sender = new SentPlans();
  const receiver = new ReceivedPlans(sqliteDialect);
  const job = jobOf(0);
  const send = (): SentJob => sender.toSend(job);
  const read = receiver.readOf(send());
  const again = send();
  expect(again.plan).toBeNull();
  expect(receiver.readOf(again)).toBe(read);
  for (let name = 1; name < 100; name++) receiver.readOf(sender.toSend(jobOf(name)));
  const later = send();
  expect(later.plan).toBe(job.plan);
  expect(receiver.readOf(later)).not.toBe(read);
});
