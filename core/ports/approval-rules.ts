import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

/** The number of people that a company requires for an approval. */
export type ApprovalsRequired = 1 | 2;

export interface ApprovalRules {
  /** Returns 1 if the company has set no rule. */
  find(companyId: string): Promise<ApprovalsRequired>;
  /** Writes the rule and its entry in the settings log, in one transaction, after it has checked the credential. */
  save(
    companyId: string,
    required: ApprovalsRequired,
    credential: ActingCredential | null,
    change: SettingsChange,
  ): Promise<void>;
}
