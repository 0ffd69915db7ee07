import type { z } from 'zod';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import { type Owner, ownerOf } from '../../model/identity/owner.ts';
import type { SettingsChange } from '../../model/identity/settings-change.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findOwner, type NamedOwner } from './organisations.ts';

type PageInput = z.input<typeof pageInput>;

/**
 * Returns a page of the settings log of the caller's company or investor, newest first.
 *
 * @throws InputError
 */
export const listOwnSettingsChanges =
  (ports: Ports) =>
  (owner: Owner, input: PageInput = {}): Promise<Page<SettingsChange>> =>
    listChanges(ports, ownerOf(owner), input);

/**
 * Returns a page of the settings log of one owner or of all, newest first.
 *
 * @throws InputError, Refusal `company_not_found`, `investor_not_found`
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
