import {
  findExcess,
  type LimitedKind,
  maxPerCompany,
} from '../../model/company-data/data-limits.ts';
import { Refusal } from '../../model/errors.ts';
import { createDataEvents } from '../../model/events/data-event.ts';
import type { CreateChangeEvents } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

export const messageOfExcess = (companyId: string, kind: LimitedKind): string =>
  `${companyId} would have more than ${maxPerCompany[kind]} ${kind}`;

export class ExcessOfData extends Refusal {
  readonly kind: LimitedKind;
  /** The names of the new items, by `limitedItemOf`. */
  readonly added: ReadonlySet<string>;

  constructor(companyId: string, kind: LimitedKind, added: readonly string[]) {
    super('invalid_records', { message: messageOfExcess(companyId, kind) });
    this.kind = kind;
    this.added = new Set(added);
  }
}

/** @throws ExcessOfData */
export const changeEventsWith =
  ({ ids, clock }: Pick<Ports, 'ids' | 'clock'>): CreateChangeEvents =>
  (change) => {
    const excess = findExcess(change);
    if (excess !== null) throw new ExcessOfData(change.companyId, excess, change.added[excess]);
    return createDataEvents(change, () => ids.next('evt'), clock.now());
  };
