import { z } from 'zod';
import { AccessError, OperatorError } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { CompanyKey } from '../../model/identity/company-key.ts';
import { isKeyLive } from '../../model/identity/key-state.ts';
import { InputError, instantInput, nameInput, parseInput } from '../../model/input.ts';
import type { CompanyKeys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';
import { addCompanyKey, type MintedCompanyKey, replaceCompanyKey } from './manage-company-keys.ts';
import { revokeKey } from './manage-keys.ts';

/** How many keys of a company work at a time; one that was rotated counts until its overlap is over. */
const maxWorkingKeys = 20;

const maxListed = 100;
const day = 86_400_000;

/** Those of the caller's company that work, then those that have ended, each with the newest first; never their secrets. */
export const listOwnKeys =
  ({ clock, companyKeys }: Ports) =>
  ({ companyId }: CompanyCaller): Promise<CompanyKey[]> =>
    companyKeys.listLatest(companyId, clock.now(), maxListed);

const newKeyInput = z.strictObject({
  name: nameInput.nullish(),
  expiresAt: instantInput.nullish(),
});

/** @throws InputError, and AccessError `company_key_limit` */
export const createOwnKey =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof newKeyInput> = {},
  ): Promise<MintedCompanyKey> => {
    const { name, expiresAt = null } = parseInput(newKeyInput, input);
    const { companyId, environment } = caller;
    return changeKeys(ports, caller, async (keys) => {
      const minted = await addCompanyKey(keys, ports, { companyId, environment, expiresAt, name });
      await ensureFewWork(keys, companyId, ports.clock.now());
      return minted;
    });
  };

const keyInput = z.strictObject({ id: z.string() });

/** @throws InputError, and AccessError `company_key_not_found`, also for another company's, `company_key_conflict` */
export const revokeOwnKey =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: z.input<typeof keyInput>): Promise<CompanyKey> => {
    const { id } = parseInput(keyInput, input);
    return changeKeys(ports, caller, (keys) => revokeKey(keys, ports, id));
  };

const rotationInput = keyInput.extend({
  overlapMilliseconds: z
    .int()
    .min(0)
    .max(30 * day)
    .default(day),
});

/** @throws InputError, and AccessError `company_key_not_found`, `company_key_conflict`, `company_key_limit` */
export const rotateOwnKey =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof rotationInput>,
  ): Promise<MintedCompanyKey> => {
    const { id, overlapMilliseconds } = parseInput(rotationInput, input);
    return changeKeys(ports, caller, async (keys) => {
      const minted = await replaceCompanyKey(keys, ports, id, overlapMilliseconds);
      await ensureFewWork(keys, caller.companyId, ports.clock.now());
      return minted;
    });
  };

type OwnKeys = Parameters<Parameters<CompanyKeys['transact']>[1]>[0];

const keyIdPattern = /^ck_[0-9A-Za-z]{1,64}$/;

/** One change of the keys of the caller's company, which sees no other company's. */
function changeKeys<T>(
  { companyKeys }: Ports,
  { companyId }: CompanyCaller,
  change: (keys: OwnKeys) => Promise<T>,
): Promise<T> {
  return companyKeys.transact(companyId, async (keys) => {
    async function find(id: string): Promise<CompanyKey | null> {
      const key = keyIdPattern.test(id) ? await keys.find(id) : null;
      return key?.companyId === companyId ? key : null;
    }
    return change({ ...keys, find }).catch(refuse);
  });
}

/** @throws AccessError `company_key_limit` when more keys work now than may; what was changed is undone then */
async function ensureFewWork(keys: OwnKeys, companyId: string, now: Date): Promise<void> {
  const latest = await keys.listLatest(companyId, now, maxWorkingKeys + 1);
  const working = latest.filter((key) => isKeyLive(key, now));
  if (working.length > maxWorkingKeys) throw new AccessError('company_key_limit');
}

const codeOf = { not_found: 'company_key_not_found', conflict: 'company_key_conflict' } as const;

/** What the rules of all keys refuse an operator, as a company is told it. */
function refuse(error: unknown): never {
  if (!(error instanceof OperatorError)) throw error;
  const { message, reason } = error;
  if (reason === 'invalid') {
    const future = 'must lie in the future, before the year 10000';
    throw new InputError('invalid_parameter', 'expiresAt', { reason: future });
  }
  throw new AccessError(codeOf[reason], { message });
}
