import type { AccessRequests, AccessRequestTransaction, CreateChangeEvents, Imports } from '#core';

export function notifyOfRequestChanges(
  requests: AccessRequests,
  notify: (companyIds: ReadonlySet<string>) => void,
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
      notify(changed);
      return result;
    },
  };
}

/** Calls `notify` after each commit that writes data events. */
export function notifyOfDataEvents(imports: Imports, notify: () => void): Imports {
  return {
    ...imports,
    async transact(push, work) {
      let hasEvents = false;
      const recordChanges =
        (make: CreateChangeEvents): CreateChangeEvents =>
        (change) => {
          const events = make(change);
          hasEvents ||= events.length > 0;
          return events;
        };
      const result = await imports.transact(push, (transaction) =>
        work({
          ...transaction,
          apply: (lines, { createEvents: make, ...options } = {}) =>
            transaction.apply(lines, {
              ...options,
              ...(make && { createEvents: recordChanges(make) }),
            }),
        }),
      );
      if (hasEvents) notify();
      return result;
    },
    async writeStaleEvents(...args) {
      const written = await imports.writeStaleEvents(...args);
      if (written > 0) notify();
      return written;
    },
  };
}
