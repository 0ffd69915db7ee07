import type { CompanyCaller } from '#core';
import { parsed, withPusher } from './push-steps.ts';

/** A contact who may upload data, and an API key of the contact’s company. */
export async function withContact(replace?: Parameters<typeof withPusher>[0]) {
  const { push: pushAs, ...world } = await withPusher(replace);
  const self: CompanyCaller = await world.admitContact(world.companyId);
  const push = (records: readonly object[], options: object = {}) => pushAs(records, options, self);
  const preview = (records: readonly object[]) =>
    world.companies.previewPush(self, { records: parsed(records) });
  const changes = async (records: readonly object[]) =>
    (await preview(records)).metrics.map(({ change }) => change);
  return { ...world, self, push, pushByProgram: pushAs, preview, changes };
}
