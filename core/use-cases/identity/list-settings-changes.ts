import type { z } from 'zod';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import { type OwnerOrOperator, ownerOf } from '../../model/identity/owner.ts';
import type { SettingsChange } from '../../model/identity/settings-change.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findOwner, type NamedOwner } from './organisations.ts';

type PageInput = z.input<typeof pageInput>;

/** Returns a page of the settings log of an owner, or of all owners for an operator, newest first. */
export const listOwnSettingsChanges =
  ({ settingsChanges }: Ports) =>
  async (owner: OwnerOrOperator, input: PageInput = {}): Promise<Page<SettingsChange>> => {
    const { limit, cursor } = parseInput(pageInput, input);
    const page = { before: readCursor(cursor), limit: limit + 1 };
    const found = await settingsChanges.list({ owner: owner && ownerOf(owner), ...page });
    return toPage(found, limit, ({ createdAt, id }) => ({ instant: createdAt, id }));
  };

/** @throws Refusal `company_not_found`, `investor_not_found` */
export const listSettingsChanges =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    ...input
  }: NamedOwner & PageInput = {}): Promise<Page<SettingsChange>> =>
    listOwnSettingsChanges(ports)(await findOwner(ports, { companyId, investorId }), input);
