import type { AccessRecord, AccessRecordPage } from '#core';

export const recordsIn = ({ edges }: AccessRecordPage): AccessRecord[] =>
  edges.map(({ record }) => record);
