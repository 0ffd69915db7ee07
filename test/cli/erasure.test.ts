import { describe, expect, test } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { openOwnDatabase } from './database.ts';
import { type Json, runCommand } from './harness.ts';

const { composition } = await closedAfterAll(openOwnDatabase());

const run = (commandLine: readonly string[], typed = '') =>
  runCommand(commandLine, { composition, stdin: [typed] });

async function json(...commandLine: string[]): Promise<Json> {
  const outcome = await run([...commandLine, '--json']);
  expect(outcome).toMatchObject({ exitCode: 0 });
  return outcome.json;
}

async function createPair(name: string) {
  const of = (kind: string) => ['create', '--name', `${name} ${kind}`, '--env', 'live'];
  const investor = await json('investor', ...of('Capital'), '--no-sandbox');
  const company = await json('company', ...of('Robotics'));
  await json('portfolio', 'add', '--investor', investor.id, '--company', company.id);
  const address = `${name.replaceAll(' ', '-')}@example.com`.toLowerCase();
  await json('contact', 'add', '--company', company.id, '--email', address);
  await json('contact', 'add', '--investor', investor.id, '--email', address);
  const { accessRequest } = await composition.operatorUseCases.requestAccess({
    ...{ investorId: investor.id, companyId: company.id, scopes: ['metrics:read'] },
    purpose: `Purpose of ${name}`,
  });
  const { id } = accessRequest;
  await json('request', 'approve', id);
  return { investor, company, address, requestId: id };
}

describe.each(['company', 'investor'] as const)('%s erase', (kind) => {
  test('asks for the name, erases the data and adds an entry to the settings log', async () => {
    const { requestId, ...pair } = await createPair(`Asked ${kind}`);
    const { id, name } = pair[kind];
    await json('request', 'revoke', requestId, '--reason', `Reason of ${name}`);
    const { exitCode, stdout, stderr } = await run([kind, 'erase', id], `${name}\n`);
    expect(stderr).toBe(`This can't be undone. Type the name of ${id} to continue: `);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `${id} is now “Erased ${kind} ${id}”. 1 person removed, 3 receipts signed again.\n`,
    });
    const { data } = await json('settings-log', `--${kind}`, id);
    expect(data[0]).toMatchObject({ type: `${kind}.erased`, actor: { type: 'operator' } });
    expect(JSON.stringify([data, await json('request', 'show', requestId)])).not.toContain(name);
  });

  test('reads the name from --confirm', async () => {
    const { requestId, ...pair } = await createPair(`Given ${kind}`);
    const { id, name } = pair[kind];
    await json('request', 'revoke', requestId);
    expect(await json(kind, 'erase', id, '--confirm', name)).toEqual({
      ...{ id, name: `Erased ${kind} ${id}`, people: 1, receipts: 3 },
    });
  });

  test('is rejected for a wrong name, without a name, and while an access request is live', async () => {
    const { requestId, ...pair } = await createPair(`Refused ${kind}`);
    const { id, name } = pair[kind];
    for (const typed of ['Other\n', '\n', '']) {
      const { exitCode, stderr } = await run([kind, 'erase', id], typed);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`this isn't the name of ${id}, so nothing was erased`);
    }
    const { exitCode, stderr } = await run([kind, 'erase', id, '--confirm', name]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `error: ${id} has live access requests: ${requestId}. End them first, with request revoke or request decline\n`,
    );
    expect(await json(kind, 'list')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id, name })]),
    });
  });
});

describe('contact erase', () => {
  test('asks for the address again, and erases the contacts of all companies and investors with it', async () => {
    const { address } = await createPair('Person');
    const { exitCode, stdout, stderr } = await run(['contact', 'erase', address], address);
    expect(stderr).toBe("This can't be undone. Type the address again to continue: ");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: '2 contacts erased, 0 receipts signed again, 4 other rows changed.\n',
    });
    expect(JSON.stringify(await json('contact', 'list'))).not.toContain(address);
  });

  test('is rejected for a wrong address, and for an address that no contact has had', async () => {
    const { address } = await createPair('Other person');
    const other = await run(['contact', 'erase', address, '--confirm', 'x@example.com']);
    expect(other).toMatchObject({ exitCode: 1 });
    expect(other.stderr).toContain('the two addresses differ, so nothing was erased');
    const unknown = ['contact', 'erase', 'x@example.com', '--confirm', 'x@example.com'];
    expect((await run(unknown)).stderr).toContain('no contact has or had the address');
  });
});
