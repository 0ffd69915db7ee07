import { z } from 'zod';
import { credentialBehind, type Permitted } from '../../model/identity/acting-credential.ts';
import {
  type Acting,
  changeOfApprovalRule,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { parseInput } from '../../model/input.ts';
import type { ApprovalsRequired } from '../../ports/approval-rules.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';

export const readApprovalsRequired =
  ({ approvalRules }: Ports) =>
  ({ companyId }: { readonly companyId: string }): Promise<ApprovalsRequired> =>
    approvalRules.find(companyId);

const approvalRuleInput = z.strictObject({ required: z.literal([1, 2]) });

/** The new rule applies to the next approval. */
export const setApprovalsRequired =
  (ports: Ports) =>
  async (
    acting: { readonly companyId: string } & Acting & Permitted,
    input: { readonly required: number },
  ): Promise<void> => {
    const { required } = parseInput(approvalRuleInput, input);
    const { approvalRules, clock, ids } = ports;
    const company = await findCompany(ports, acting.companyId);
    const before = await approvalRules.find(company.id);
    if (before === required) return;
    const changed = changeOfApprovalRule(company, before, required);
    const change = settingsChange(ids, clock.now(), acting, changed);
    await approvalRules.save(company.id, required, credentialBehind(acting), change);
  };
