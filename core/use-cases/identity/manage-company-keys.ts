import { z } from 'zod';
import type { Actor } from '../../model/events/event-type.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import {
  type CompanyKey,
  companyScopes,
  defaultCompanyScopes,
} from '../../model/identity/company-key.ts';
import { type Acting, changeOfKey, settingsChange } from '../../model/identity/settings-change.ts';
import {
  instantInput,
  lineInput,
  nameInput,
  parseInput,
  trimmedNameInput,
} from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import {
  changeKeys,
  companyKeyKind,
  type KeyOwnerOrOperator,
  type Minted,
  maxListedKeys,
  newKey,
  operatorRotationInput,
  renameKeyOf,
  requireFutureExpiry,
  requireKeyLimit,
  revokeKeyOf,
  rotateKey,
  rotationInput,
} from './manage-keys.ts';
import { findCompany } from './organisations.ts';

export type MintedCompanyKey = Minted<CompanyKey>;

/** Returns the company's keys without secrets: first the working keys, then the revoked and expired ones. */
export const listOwnKeys =
  (ports: Ports) =>
  ({ companyId }: CompanyCaller): Promise<CompanyKey[]> =>
    ports.companyKeys.listLatest(companyId, ports.clock.now(), maxListedKeys);

/** Returns the keys of one company, or of all companies, oldest first. */
export const listCompanyKeys =
  (ports: Ports) =>
  async ({ companyId }: { companyId?: string | undefined } = {}): Promise<CompanyKey[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    return ports.companyKeys.list(companyId ?? null);
  };

/** The field `source.system` in a pushed record has the same limit. */
const maxSourceLength = 200;

const newKeyInput = z.strictObject({
  name: nameInput.nullish(),
  expiresAt: instantInput.nullish(),
  scopes: z.array(z.enum(companyScopes)).min(1).readonly().nullish(),
  source: lineInput(maxSourceLength).min(1).nullish(),
});
const operatorKeyInput = newKeyInput.extend({ name: trimmedNameInput.nullish() });

export type NewCompanyKeyInput = z.input<typeof newKeyInput>;

/** An operator may create any number of keys. */
interface KeyCreator extends Pick<CompanyCaller, 'companyId' | 'environment'>, Acting, Permitted {
  readonly actor: Actor;
}

/** @throws AccessError `company_key_limit` */
export const createCompanyKey =
  (ports: Ports) =>
  async (creator: KeyCreator, input: NewCompanyKeyInput = {}): Promise<MintedCompanyKey> => {
    const { companyId, environment, actor } = creator;
    const isOperator = actor.type === 'operator';
    const schema = isOperator ? operatorKeyInput : newKeyInput;
    const { name = null, expiresAt = null, source = null, ...fields } = parseInput(schema, input);
    requireFutureExpiry(expiresAt, ports.clock.now());
    const scopes = [...new Set(fields.scopes ?? defaultCompanyScopes)];
    const { key: created, secret, digest } = newKey(ports, companyKeyKind, environment);
    const key: CompanyKey = { ...created, companyId, name, expiresAt, scopes, source };
    return changeKeys(ports, companyKeyKind, isOperator ? null : creator, async (keys) => {
      const changed = changeOfKey('created', null, key);
      await keys.add({ key, digest }, settingsChange(ports.ids, key.createdAt, creator, changed));
      if (!isOperator) await requireKeyLimit(keys, companyKeyKind, companyId, ports.clock.now());
      return { key, secret };
    });
  };

/** @throws AccessError `company_key_not_found`, also for another company's key, and `company_key_conflict` */
export const revokeCompanyKey = revokeKeyOf(companyKeyKind);

/** @throws AccessError `company_key_not_found` */
export const renameCompanyKey = renameKeyOf(companyKeyKind);

/** @throws AccessError `company_key_not_found`, `company_key_conflict`, `company_key_limit` */
export const rotateCompanyKey =
  (ports: Ports) =>
  async (
    owner: KeyOwnerOrOperator<Pick<CompanyKey, 'companyId'>>,
    input: z.input<typeof rotationInput>,
  ): Promise<MintedCompanyKey> => {
    const rotation = parseInput(owner === null ? operatorRotationInput : rotationInput, input);
    return changeKeys(ports, companyKeyKind, owner, async (keys) => {
      const minted = await rotateKey(keys, companyKeyKind, ports, rotation, owner);
      if (owner !== null) {
        await requireKeyLimit(keys, companyKeyKind, owner.companyId, ports.clock.now());
      }
      return minted;
    });
  };
