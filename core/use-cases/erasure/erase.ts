import { z } from 'zod';
import { type Company, isSandboxCompany } from '../../model/company-data/company.ts';
import { signReceipt } from '../../model/consent/issue-receipt.ts';
import { differences } from '../../model/consistency/differences.ts';
import { eraseEvent, eraseReceipt, eraseRequest } from '../../model/erasure/erase-consent.ts';
import { eraseEntry } from '../../model/erasure/erase-entry.ts';
import {
  type Erased,
  erasedName,
  erasedPerson,
  erasedText,
  hasAddress,
} from '../../model/erasure/erased.ts';
import { ensure, Refusal } from '../../model/errors.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { Owner } from '../../model/identity/owner.ts';
import {
  changeOfErasedContact,
  changeOfParty,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { parseInput } from '../../model/input.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type { Erasure, ErasureCounts, PersonErasureCounts } from '../../ports/erasures.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReceiptOfEvent } from '../../ports/receipts.ts';
import { emailInput } from '../identity/manage-contacts.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';

const ownerInput = z.strictObject({
  id: z.string(),
  /** Must be the current name of the company or the investor, as a protection against a wrong ID. */
  name: z.string(),
});

const personInput = z.strictObject({
  email: emailInput,
  confirmation: z.string().trim().toLowerCase(),
});

export interface ErasedOwner extends ErasureCounts {
  readonly id: string;
  readonly name: string;
}

/**
 * Erases a company forever. People, names and texts become pseudonyms. The company stays suspended.
 *
 * @throws AccessError `company_not_found`, `invalid_parameter` if the name doesn't match, Refusal `requests_live`
 */
export const eraseCompany =
  (ports: Ports) =>
  async (input: z.input<typeof ownerInput>): Promise<ErasedOwner> => {
    const { id, name } = parseInput(ownerInput, input);
    const isFixed = isSandboxCompany(id);
    ensure(!isFixed, 'invalid_parameter', 'sandbox companies can’t be erased');
    return eraseParty(ports, { companyId: id }, await findCompany(ports, id), name);
  };

/**
 * Erases an investor forever, like `eraseCompany`.
 *
 * @throws Refusal `investor_not_found`, `requests_live`, AccessError `invalid_parameter` if the name doesn't match
 */
export const eraseInvestor =
  (ports: Ports) =>
  async (input: z.input<typeof ownerInput>): Promise<ErasedOwner> => {
    const { id, name } = parseInput(ownerInput, input);
    return eraseParty(ports, { investorId: id }, await findInvestor(ports, id), name);
  };

async function eraseParty(
  ports: Ports,
  owner: Owner,
  party: Company | Investor,
  name: string,
): Promise<ErasedOwner> {
  const { id } = party;
  ensure(
    name.trim() === party.name,
    'invalid_parameter',
    `this isn't the name of ${id}, so nothing was erased`,
  );
  const erasedAt = ports.clock.now();
  const before = { ...party, name: erasedName(owner) };
  const after = { ...before, suspendedAt: party.suspendedAt ?? erasedAt };
  const changed = changeOfParty('erased', owner, before, after);
  const outcome = await ports.erasures.eraseOwner({
    ...(await erasureOf(ports, owner, erasedAt)),
    owner,
    name: after.name,
    change: settingsChange(ports.ids, erasedAt, null, changed),
  });
  if ('live' in outcome) {
    const message = `${id} has live access requests: ${outcome.live.join(' ')}. End them first, with request revoke or request decline`;
    throw new Refusal('requests_live', { message });
  }
  return { id, name: after.name, ...outcome };
}

/**
 * Erases the address of a person at all companies and investors.
 *
 * @throws AccessError `contact_not_found`, `invalid_parameter` if the confirmation doesn't match
 */
export const eraseContact =
  (ports: Ports) =>
  async (input: z.input<typeof personInput>): Promise<PersonErasureCounts> => {
    const { email, confirmation } = parseInput(personInput, input);
    ensure(
      email === confirmation,
      'invalid_parameter',
      'the two addresses differ, so nothing was erased',
    );
    const erasedAt = ports.clock.now();
    const counts = await ports.erasures.erasePerson({
      ...(await erasureOf(ports, { email }, erasedAt)),
      email,
      isCovered: (text) => hasAddress(text, email),
      changeOf: ({ contactId, owner }) =>
        settingsChange(
          ports.ids,
          erasedAt,
          null,
          changeOfErasedContact(contactId, owner, erasedPerson(contactId)),
        ),
    });
    const isKnown = counts.people + counts.receipts + counts.otherRows > 0;
    ensure(isKnown, 'contact_not_found', `no contact has or had the address ${email}`);
    return counts;
  };

/** Reads the signing key before the transaction of the erasure, because the signer may query the database. */
async function erasureOf({ signer }: Ports, erased: Erased, erasedAt: Date): Promise<Erasure> {
  const identity = await signer.current();
  return {
    erasedAt,
    consent: (consent) => eraseConsent(erased, consent, identity, erasedAt),
    request: (request) => returnIfChanged(request, eraseRequest(erased, request)),
    entry: (entry) => returnIfChanged(entry, eraseEntry(erased, entry)),
    text: erasedText,
  };
}

const returnIfChanged = <Row extends object>(before: Row, after: Row): Row | null =>
  differences(before, after).length > 0 ? after : null;

/**
 * Erases the texts of a receipt. A signed receipt is signed again, and the new signature is marked as late. The receipt
 * keeps its ID and its position in the receipt chain.
 */
function eraseConsent(
  erased: Erased,
  consent: ReceiptOfEvent,
  identity: SigningIdentity | null,
  signedAt: Date,
): ReceiptOfEvent | null {
  const event = eraseEvent(erased, consent.event);
  const receipt = eraseReceipt(erased, consent.receipt);
  const isSame =
    differences(event, consent.event).length + differences(receipt, consent.receipt).length === 0;
  if (isSame) return null;
  if (receipt.signature === null) return { event, receipt };
  ensure(identity !== null, 'signing_key_missing');
  const late = { ...receipt, signedAt };
  return { event, receipt: { ...late, signature: signReceipt(event, late, identity) } };
}
