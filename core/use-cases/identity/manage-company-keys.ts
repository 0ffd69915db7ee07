import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { Actor } from '../../model/events/event-type.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import {
  type CompanyKey,
  companyScopes,
  defaultCompanyScopes,
} from '../../model/identity/company-key.ts';
import { isKeyLive } from '../../model/identity/key-state.ts';
import {
  type Acting,
  changeOfKey,
  settingsActorOf,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import {
  givenNameInput,
  instantInput,
  lineInput,
  nameInput,
  parseInput,
} from '../../model/input.ts';
import type { CompanyKeys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';
import { renameKeyInput } from './manage-api-keys.ts';
import {
  companyKeyKind,
  type Minted,
  newKey,
  renameKey,
  requireFutureExpiry,
  revokeKey,
  rotateKey,
} from './manage-keys.ts';
import { findCompany } from './organisations.ts';

export type MintedCompanyKey = Minted<CompanyKey>;

/** How many keys of a company work at a time; one that was rotated counts until its overlap is over. */
const maxWorkingKeys = 20;

const maxListed = 100;
const day = 86_400_000;

/** Those of the caller's company that work, then those that have ended, each with the newest first; never their secrets. */
export const listOwnKeys =
  ({ clock, companyKeys }: Ports) =>
  ({ companyId }: CompanyCaller): Promise<CompanyKey[]> =>
    companyKeys.listLatest(companyId, clock.now(), maxListed);

/** The keys of one company or of all, oldest first. */
export const listCompanyKeys =
  (ports: Ports) =>
  async ({ companyId }: { companyId?: string | undefined } = {}): Promise<CompanyKey[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    return ports.companyKeys.list(companyId ?? null);
  };

/** As long as the name of a system in a record. */
const maxSourceLength = 200;

const newKeyInput = z.strictObject({
  name: nameInput.nullish(),
  expiresAt: instantInput.nullish(),
  scopes: z.array(z.enum(companyScopes)).min(1).readonly().nullish(),
  source: lineInput(maxSourceLength).min(1).nullish(),
});
const givenKeyInput = newKeyInput.extend({ name: givenNameInput.nullish() });

export type NewCompanyKeyInput = z.input<typeof newKeyInput>;

/** Whose key is made, and who makes it: an operator may make any number. */
interface Maker extends Pick<CompanyCaller, 'companyId' | 'environment'>, Acting {
  readonly actor: Actor;
}

/** @throws InputError, and AccessError `company_key_limit` */
export const createCompanyKey =
  (ports: Ports) =>
  async (maker: Maker, input: NewCompanyKeyInput = {}): Promise<MintedCompanyKey> => {
    const { companyId, environment, actor } = maker;
    const isOperator = actor.type === 'operator';
    const schema = isOperator ? givenKeyInput : newKeyInput;
    const { name = null, expiresAt = null, source = null, ...given } = parseInput(schema, input);
    requireFutureExpiry(expiresAt, ports.clock.now());
    const scopes = [...new Set(given.scopes ?? defaultCompanyScopes)];
    const { key: fresh, secret, digest } = newKey(ports, companyKeyKind, environment);
    const key: CompanyKey = { ...fresh, companyId, name, expiresAt, scopes, source };
    return changeKeys(ports, isOperator ? null : maker, async (keys) => {
      const changed = changeOfKey('created', null, key);
      const by = settingsActorOf(maker);
      await keys.add({ key, digest }, settingsChange(ports.ids, key.createdAt, by, changed));
      if (!isOperator) await requireFewWork(keys, companyId, ports.clock.now());
      return { key, secret };
    });
  };

/** Whose keys are changed: those of a company, or, when null, anybody's by an operator. */
type Whose = (Pick<CompanyCaller, 'companyId'> & Acting) | null;

const keyInput = z.strictObject({ id: z.string() });

/** @throws InputError, and AccessError `company_key_not_found`, also for another company's, `company_key_conflict` */
export const revokeCompanyKey =
  (ports: Ports) =>
  async (whose: Whose, input: z.input<typeof keyInput>): Promise<CompanyKey> => {
    const { id } = parseInput(keyInput, input);
    return changeKeys(ports, whose, (keys) =>
      revokeKey(keys, companyKeyKind, ports, id, settingsActorOf(whose)),
    );
  };

/** @throws InputError, and AccessError `company_key_not_found` */
export const renameCompanyKey =
  (ports: Ports) =>
  async (input: z.input<typeof renameKeyInput>): Promise<CompanyKey> =>
    renameKey(
      ports.companyKeys,
      companyKeyKind,
      ports,
      parseInput(renameKeyInput, input),
      settingsActorOf(null),
    );

const rotationInput = keyInput.extend({
  overlapMilliseconds: z
    .int()
    .min(0)
    .max(30 * day)
    .default(day),
});
const anyRotationInput = keyInput.extend({ overlapMilliseconds: z.number().default(day) });

/** @throws InputError, and AccessError `company_key_not_found`, `company_key_conflict`, `company_key_limit` */
export const rotateCompanyKey =
  (ports: Ports) =>
  async (whose: Whose, input: z.input<typeof rotationInput>): Promise<MintedCompanyKey> => {
    const rotation = parseInput(whose === null ? anyRotationInput : rotationInput, input);
    return changeKeys(ports, whose, async (keys) => {
      const minted = await rotateKey(keys, companyKeyKind, ports, rotation, settingsActorOf(whose));
      if (whose !== null) await requireFewWork(keys, whose.companyId, ports.clock.now());
      return minted;
    });
  };

type ChangedKeys = Parameters<Parameters<CompanyKeys['transact']>[1]>[0];

const keyIdPattern = /^ck_[0-9A-Za-z]{1,64}$/;

/** One change of keys, which sees no other company's. */
function changeKeys<T>(
  { companyKeys }: Ports,
  whose: Whose,
  change: (keys: ChangedKeys) => Promise<T>,
): Promise<T> {
  if (whose === null) return change(companyKeys);
  return companyKeys.transact(whose.companyId, (keys) => {
    async function find(id: string): Promise<CompanyKey | null> {
      const key = keyIdPattern.test(id) ? await keys.find(id) : null;
      return key?.companyId === whose?.companyId ? key : null;
    }
    return change({ ...keys, find });
  });
}

/** @throws AccessError `company_key_limit` when more keys work now than may; what was changed is undone then */
async function requireFewWork(keys: ChangedKeys, companyId: string, now: Date): Promise<void> {
  const latest = await keys.listLatest(companyId, now, maxWorkingKeys + 1);
  const working = latest.filter((key) => isKeyLive(key, now));
  if (working.length > maxWorkingKeys) throw new AccessError('company_key_limit');
}
