import type { AccessEvent } from '#core';

export type DescribeActor = (event: {
  readonly type: AccessEvent['type'];
  readonly actor: Pick<AccessEvent['actor'], 'type' | 'id'>;
}) => string;
