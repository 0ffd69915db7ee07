import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findKeysInUse, type SigningKey } from '#core';
import type { Database } from '#db';
import type { Config } from '../../gateway/config.ts';
import { compareSchema } from '../../gateway/schema.ts';
import { previousKeyFile, readKeyFile } from '../../gateway/signing/key-file.ts';
import { createNotRegistered } from '../../gateway/signing/private-key.ts';
import type { Findings } from './finding.ts';

const writableByOthers = 0o002;
const writableByGroup = 0o020;
const sticky = 0o1000;

/**
 * Checks the key file as the service does, but doesn't create a missing file.
 *
 * @param database null if the database doesn't exist or can't be used
 */
export async function checkSigningKey(
  { path, makeMissing }: Config['signingKey'],
  database: Database | null,
  findings: Findings,
): Promise<void> {
  if (path === null) {
    return findings.warn(
      'SIGNING_KEY_FILE is not set: values and receipts are not signed',
      'set SIGNING_KEY_FILE, and create a key with: portfolio-access signing-key rotate',
    );
  }
  const key = await readKeyFile(path);
  if (key === null) {
    if (makeMissing) return findings.ok(`${path} doesn’t exist: the first start creates it`);
    return findings.fail(
      `${path} doesn’t exist`,
      'create a key with: portfolio-access signing-key rotate',
    );
  }
  if (key.warning === null) findings.ok(`${path} has the key ${key.kid}`);
  else findings.warn(key.warning, `run: chmod 600 ${path}`);
  await checkFolder(path, findings);
  if (database === null || compareSchema(await database.schemaState()) === 'not_migrated') return;
  const signingKeys = await database.repositories.signingKeys.list();
  const own = signingKeys.filter(({ isImported }) => !isImported);
  if (own.length > 0 && !own.some(({ kid }) => kid === key.kid)) {
    findings.fail(
      `${path} ${createNotRegistered(key)}`,
      'register the key, or restore the previous one',
    );
  }
  if (signingKeys.some(({ kid, retiredAt }) => kid === key.kid && retiredAt !== null)) {
    findings.fail(
      `the key ${key.kid} is retired: nothing can be signed with it`,
      'create a new one with: portfolio-access signing-key rotate',
    );
  }
  await checkPrevious(path, key.kid, signingKeys, findings);
}

/**
 * After a rotation, the previous key signs until the next key starts. Its file must exist until then, and must be
 * deleted afterwards.
 */
async function checkPrevious(
  path: string,
  kid: string,
  signingKeys: readonly SigningKey[],
  findings: Findings,
): Promise<void> {
  const file = await previousKeyFile(path);
  const previous = await readKeyFile(file);
  const { current, next } = findKeysInUse(signingKeys, new Date());
  if (next?.kid === kid) {
    const start = `the key ${kid} signs from ${next.signsAt.toISOString()} on`;
    if (previous !== null && previous.kid === current?.kid) {
      return findings.ok(`${start}; until then the key ${current.kid} in ${file} signs`);
    }
    return findings.warn(
      `${start}, but a process that starts before also signs with it, because ${file} has no current key`,
      'don’t restart a process before that time',
    );
  }
  if (previous !== null) {
    findings.warn(
      `${file} has a key that no longer signs`,
      `keep a copy if you need one, and run: rm ${file}`,
    );
  }
}

/** A user who can write to the folder can replace the key file, unless the folder has the sticky bit. */
async function checkFolder(path: string, findings: Findings): Promise<void> {
  const folder = dirname(path);
  const { mode } = await stat(folder);
  if ((mode & sticky) !== 0) return;
  const hint = `run: chmod go-w ${folder}`;
  const consequence = `can write to the folder of ${path}, and so replace the key`;
  if ((mode & writableByOthers) !== 0) findings.fail(`every user ${consequence}`, hint);
  else if ((mode & writableByGroup) !== 0) findings.warn(`its group ${consequence}`, hint);
}
