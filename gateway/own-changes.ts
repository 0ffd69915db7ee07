import type { AccessRequests, AccessRequestTransaction, Imports, TellChange } from '#core';

/** @param tell called after each commit with the companies whose requests changed */
export function tellOfChanges(
  requests: AccessRequests,
  tell: (companyIds: ReadonlySet<string>) => void,
): AccessRequests {
  return {
    ...requests,
    async transact(credential, work) {
      const changed = new Set<string>();
      const result = await requests.transact(credential, (transaction) => {
        const addEvent: AccessRequestTransaction['addEvent'] = (event, identity) => {
          changed.add(event.accessRequest.companyId);
          return transaction.addEvent(event, identity);
        };
        return work({ ...transaction, addEvent });
      });
      tell(changed);
      return result;
    },
  };
}

/** @param tell called after each commit that wrote data events */
export function tellOfData(imports: Imports, tell: () => void): Imports {
  return {
    ...imports,
    async transact(push, work) {
      let hasEvents = false;
      const noting =
        (make: TellChange): TellChange =>
        (change) => {
          const events = make(change);
          hasEvents ||= events.length > 0;
          return events;
        };
      const result = await imports.transact(push, (transaction) =>
        work({
          ...transaction,
          apply: (lines, { tell: make, ...options } = {}) =>
            transaction.apply(lines, { ...options, ...(make && { tell: noting(make) }) }),
        }),
      );
      if (hasEvents) tell();
      return result;
    },
    async tellStale(...asked) {
      const told = await imports.tellStale(...asked);
      if (told > 0) tell();
      return told;
    },
  };
}
