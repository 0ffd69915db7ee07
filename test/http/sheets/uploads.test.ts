import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CompletedRecord, createOperatorUseCases, type OperatorUseCases } from '#core';
import { openSheet, type RefusedFile, readAnswers, readSheet } from '#http';
import { demoCompanies } from '../../../demo/companies.ts';
import { demoLines } from '../../../demo/records.ts';
import { createMemoryPorts } from '../../memory/index.ts';
import { type Case, cases } from './cases.ts';

const now = new Date('2026-11-29T12:00:00Z');
const folder = new URL('files/', import.meta.url);
const maxRows = 10_000;

const companyId = 'co_juniper';
let useCases: OperatorUseCases;

beforeAll(async () => {
  const ports = createMemoryPorts();
  useCases = createOperatorUseCases({ ...ports, clock: { now: () => now } });
  const companies = demoCompanies.filter(({ id }) => id === companyId);
  await useCases.createCompany({ id: companyId, name: 'Juniper Health', environment: 'test' });
  await useCases.importRecords(demoLines(companies, now), {
    onProblem: ({ reason }) => {
      throw new Error(reason);
    },
  });
});

const textOf = (values: object): string =>
  Object.values(values)
    .slice(1)
    .flatMap((value) => (value instanceof Map ? [...value].flat() : value))
    .join(' ');

async function read({ file, sheet }: Case, given: Case['answers'] = {}) {
  const bytes = await readFile(new URL(file, folder));
  const answers = readAnswers((id) => given[id]);
  const { encoding } = answers;
  const opened = await openSheet({ bytes, name: file, sheet: sheet ?? null, maxRows, encoding });
  return readSheet(opened, {
    known: await useCases.readLatestOfCompany({ companyId }),
    answers,
    source: { system: file, method: 'upload', lastSynced: now },
    maxRecords: maxRows,
  });
}

const describeTaken = ({ metric, before, marks }: CompletedRecord): string => {
  const { key, period, rawValue, currency } = metric;
  const isOther = currency !== null && currency !== before?.currency;
  const parts = [key, period, rawValue, isOther ? currency : '', marks.join()];
  return parts.filter((part) => part !== '').join(' ');
};

describe('an uploaded file', () => {
  test.each(cases.map((each) => [each.file, each] as const))(
    '%s leads to the expected records, questions, problems and notes',
    async (_file, expected) => {
      const { refused, answers, taken = [], unchanged = 0, wrong = [], notes, source } = expected;
      if (refused !== undefined) {
        const error = await read(expected).catch((caught: unknown) => caught);
        const { code, ...proofs } = (error as RefusedFile).refusal;
        const lines = Object.values(proofs).map((proof) => (proof as { line: number }).line);
        expect([code, ...lines].join(' ').trim()).toBe(refused);
        return;
      }
      if (answers !== undefined) {
        const asked = await read(expected);
        expect(asked.records).toEqual([]);
        expect(asked.questions.map(({ id }) => id)).toEqual(Object.keys(answers));
      }
      const sheet = await read(expected, answers);
      expect(sheet.questions).toEqual([]);
      expect(
        sheet.problems.map(({ line, code, counts = [] }) => [line, code, ...counts].join(' ')),
      ).toEqual(wrong);
      if (notes !== undefined) {
        const found = sheet.notes.filter(({ code }) => code !== 'encoding');
        expect(found.map((note) => `${note.code} ${textOf(note)}`.trim())).toEqual(
          notes.map((note) => note.replaceAll(/(?<=[^ ]),(?=[^ ])/g, ' ')),
        );
      }
      if (source !== undefined) expect(sheet.records[0]?.fields.source).toMatchObject(source);
      const records = sheet.records.map(({ fields }) => fields);
      const completed = await useCases.completeRecords({ companyId, records });
      expect(completed).toHaveLength(records.length);
      expect(completed.filter(({ isStored }) => !isStored).map(describeTaken)).toEqual(taken);
      expect(completed.filter(({ isStored }) => isStored)).toHaveLength(unchanged);
    },
  );

  test('is in the folder exactly if it has an expected result', async () => {
    expect((await readdir(folder)).toSorted()).toEqual(
      [...new Set(cases.map(({ file }) => file))].toSorted(),
    );
  });
});
