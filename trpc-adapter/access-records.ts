import {
  type GrantableScope,
  listOwnRecordsInput,
  type Protocol,
  type RefusalCode,
  type Resource,
} from '#core';
import { presentOwnRecord } from '#http';
import { procedure, shown } from './procedures.ts';

/** The proof of one read by a key of your investor, or of alike refusals. */
export interface AccessRecord {
  readonly id: string;
  /** RFC 3339. */
  readonly occurredAt: string;
  /** The `Svc-Request-Id` of the read. */
  readonly requestId: string;
  readonly protocol: Protocol;
  /** Null for a refusal of what is not in your portfolio. */
  readonly company: { readonly id: string; readonly name: string } | null;
  /** Tells the keys of your investor apart; null when a person read at the desk. */
  readonly keyHint: string | null;
  /** The person who read at the desk; without an address once your investor has removed the person. */
  readonly contact: { readonly id: string; readonly email: string | null } | null;
  readonly scope: GrantableScope;
  readonly resource: Resource;
  /** The one metric that was asked for. */
  readonly metricKey: string | null;
  /** The access request that allowed the read; null when it was refused. */
  readonly grantId: string | null;
  /** `allowed`, or the code with which the read was refused. */
  readonly outcome: 'allowed' | RefusalCode | (string & {});
}

/** A page of the access records of your investor. */
export interface AccessRecordPage {
  readonly items: AccessRecord[];
  /** The `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

export const accessRecordProcedures = {
  /**
   * A page of what the keys of your investor read or were refused, newest first, as far as this key has the scopes that
   * they needed: 50, or as many as `limit` says, at most 200.
   */
  list: procedure
    .input(shown(listOwnRecordsInput.optional()))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<AccessRecordPage> => {
      const { items, nextCursor } = await useCases.listOwnRecords(caller, input);
      return { items: items.map(presentOwnRecord), nextCursor };
    }),
};
