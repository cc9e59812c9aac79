// Requests with what becomes of them, as files that people read: the plan in words, then the SQL of each database. A
// change of either shows here as a change of text. UPDATE_GOLDEN=1 writes the files anew.
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import type { Session } from '../src/db/database.ts';
import { guideKeys } from './support/conformance.ts';
import { describeAcrossDatabases, describeOnEveryDatabase, recordStatements } from './support/database.ts';
import {
  callerOf,
  casesIn,
  documentOf,
  type GoldenCase,
  goldenRead,
  readOf,
  statementsOf,
  writeOf,
  writePlanOf,
} from './support/golden.ts';
import { layoutSql, statementOf } from './support/layout-sql.ts';

const READS = casesIn('read');
const WRITES = casesIn('write');
const WRITE_PLANS = casesIn('write-plan');
const keys = guideKeys();
const fill = (text: string): string => keys.fill(text);

function expectGolden({ file, content }: GoldenCase, made: string): void {
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, made);
  else expect(made).toBe(content);
}

describe('A request', () => {
  it.each(READS)('$title', (one) => {
    expectGolden(one, goldenRead(one));
  });

  it.each(WRITE_PLANS)('$title', (one) => {
    expectGolden(one, documentOf(one, writePlanOf(one), {}));
  });

  it('is shown with its SQL unchanged but for line breaks', () => {
    for (const one of READS)
      for (const database of ['SQLite', 'PostgreSQL'])
        for (const { statement } of statementsOf(one, database))
          expect(statementOf(layoutSql(statement.statement.sql))).toBe(statement.statement.sql);
  });
});

describeAcrossDatabases('A write', (engines) => {
  const opened: { name: string; sheaf: Sheaf; sent: string[] }[] = [];
  beforeAll(async () => {
    for (const engine of engines) {
      const sheaf = await engine.open();
      opened.push({ name: engine.name, sheaf, sent: recordStatements(sheaf) });
      undoWrites(sheaf);
    }
  });

  it.each(WRITES)('$title', async (one) => {
    const sql: Record<string, string> = {};
    for (const { name, sheaf, sent } of opened) {
      sent.length = 0;
      const operation = writeOf(one, fill);
      const outcome = await sheaf.operations.write(operation, callerOf(one, fill), operation.name !== 'delete');
      expect(outcome).not.toBeNull();
      sql[name] = sent.map(layoutSql).join('\n\n');
    }
    expectGolden(one, documentOf(one, writePlanOf(one), sql));
  });
});

/** Takes back what each transaction did once its result is known, so that every write meets the same content. */
function undoWrites({ database }: Sheaf): void {
  const { transaction } = database;
  const undone = new Error('undone');
  database.transaction = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    let result: { value: T } | undefined;
    try {
      await transaction.call(database, async (session) => {
        result = { value: await work(session) };
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
    return result!.value;
  };
}

describeOnEveryDatabase('A read that is run', (engine) => {
  let sheaf: Sheaf;
  let sent: string[];
  beforeAll(async () => {
    sheaf = await engine.open();
    sent = recordStatements(sheaf);
  });

  it.each(READS)('sends the statements that it is shown with: $title', async (one) => {
    const { operation, documentId } = readOf(one, fill);
    const caller = callerOf(one, fill);
    sent.length = 0;
    // In a transaction, since elsewhere a read that may take long is sent by another process.
    await sheaf.transaction(async () => {
      if (operation.name === 'find' || operation.name === 'aggregate')
        await sheaf.operations.find(operation, caller).run({ caller });
      else await sheaf.operations.findOne(operation, caller).run({ caller, documentId });
    });
    const shown = statementsOf(one, engine.name).map(({ statement }) => statement.statement.sql);
    // Step by step, what is populated below no row is not asked for.
    if (sheaf.database.dialect.reading === 'singleStatement') expect(sent).toEqual(shown);
    else expect(sent).toEqual(shown.filter((text, index) => index === 0 || sent.includes(text)));
  });
});
