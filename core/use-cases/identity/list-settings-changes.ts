import type { z } from 'zod';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import { type Owner, ownerOf } from '../../model/identity/owner.ts';
import type { SettingsChange } from '../../model/identity/settings-change.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findOwner, type NamedOwner } from './organisations.ts';

type PageInput = z.input<typeof pageInput>;

/**
 * A page of what was changed in the settings of a company or an investor, by whomever, newest first.
 *
 * @throws InputError
 */
export const listOwnSettingsChanges =
  (ports: Ports) =>
  (owner: Owner, input: PageInput = {}): Promise<Page<SettingsChange>> =>
    listChanges(ports, ownerOf(owner), input);

/**
 * The same for an operator, of one owner or of all.
 *
 * @throws InputError, and those of whoever is named
 */
export const listSettingsChanges =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    ...input
  }: NamedOwner & PageInput = {}): Promise<Page<SettingsChange>> =>
    listChanges(ports, await findOwner(ports, { companyId, investorId }), input);

async function listChanges(
  { settingsChanges }: Ports,
  owner: Owner | null,
  input: PageInput,
): Promise<Page<SettingsChange>> {
  const { limit, cursor } = parseInput(pageInput, input);
  const before = readCursor(cursor);
  const found = await settingsChanges.list({ owner, before, limit: limit + 1 });
  return toPage(found, limit, ({ createdAt, id }) => ({ instant: createdAt, id }));
}
