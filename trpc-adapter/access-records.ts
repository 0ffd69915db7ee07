import {
  type GrantableScope,
  listOwnRecordsInput,
  type Protocol,
  type RefusalCode,
  type Resource,
} from '#core';
import { presentOwnRecord } from '#http';
import { procedure, showInput } from './procedures.ts';

/** The record of one read by a key or a person of your investor, or of several identical refused reads. */
export interface AccessRecord {
  /** ID of the record, of the form `rec_…`. */
  readonly id: string;
  /** Time at which the read was allowed or refused, in RFC 3339. */
  readonly occurredAt: string;
  /** The Svc-Request-Id of the read. */
  readonly requestId: string;
  /** The protocol of the read. */
  readonly protocol: Protocol;
  /** The company of the read. Null if the read was refused because the company isn’t in your portfolio. */
  readonly company: { readonly id: string; readonly name: string } | null;
  /** Identifies the key. Null if a person read the data at the desk. */
  readonly keyHint: string | null;
  /**
   * The person who read the data at the desk. Null if a key read the data. The email address is null after the investor
   * has removed the person.
   */
  readonly contact: { readonly id: string; readonly email: string | null } | null;
  /** The required scope. */
  readonly scope: GrantableScope;
  /** The kind of data that was requested. */
  readonly resource: Resource;
  /** The requested metric. Null if the read doesn’t concern one metric. */
  readonly metricKey: string | null;
  /** The access request that allowed the read. Null if the read was refused. */
  readonly grantId: string | null;
  /** The result: allowed, or the code of the refusal. */
  readonly outcome: 'allowed' | RefusalCode | (string & {});
}

/** A page of your investor's access records. */
export interface AccessRecordPage {
  readonly items: AccessRecord[];
  /** The `cursor` of the next page. Null on the last page. */
  readonly nextCursor: string | null;
}

export const accessRecordProcedures = {
  /**
   * Returns a page of your investor's reads, newest first, including refused reads. Omits reads that need a scope which
   * this key lacks. The default `limit` is 50, the maximum is 200.
   */
  list: procedure
    .input(showInput(listOwnRecordsInput.optional()))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<AccessRecordPage> => {
      const { items, nextCursor } = await useCases.listOwnRecords(caller, input);
      return { items: items.map(presentOwnRecord), nextCursor };
    }),
};
