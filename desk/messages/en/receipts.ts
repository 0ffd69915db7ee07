export const receipts = {
  receipts: {
    title: (investor: string) => `Receipts for the request from ${investor}`,
    lead: 'Each change of the request has a receipt, signed by this service. The investor gets the same receipts. Each receipt contains the ID of the receipt before it, so you notice if a receipt was changed or is missing.',
    none: 'No receipts yet',
    waits: 'The next receipt isn’t signed yet. It appears once it is signed.',
    chain: 'The receipts, oldest first',
    asked: 'Asked for',
    approvals: 'Approvals',
    afterwards: 'Status afterwards',
    late: 'Signed later, on',
    signedText: 'Signed content',
    download: 'Save all receipts as a file',
    fileTitle: 'Check a file',
    fileHint:
      'Your browser checks the file and sends it nowhere. The file can belong to any request to this service.',
    file: 'A file of receipts',
    pasted: 'Or paste its text',
    check: 'Check',
    elsewhereTitle: 'Check without this page',
    elsewhere:
      'Save the receipts, and check them with a program that you trust. This is the command of Portfolio Access. Its documentation describes the format, and how to check it without our software.',
    noScript:
      'JavaScript is off, so your browser can’t check the receipts. See below how to check them without this page.',
    request: 'Request',
    company: 'Company',
    investor: 'Investor',
    last: 'Last receipt',
    verdicts: {
      checking: ['Your browser is checking…', ''],
      valid: [
        'Checked by your browser',
        'This service signed every receipt as shown here, and none between them is missing.',
      ],
      file: [
        'Checked by your browser',
        'This service signed every receipt of the file, and none between them is missing.',
      ],
      invalid: ['Don’t rely on these receipts', 'Your browser found a problem:'],
      failed: [
        'Your browser couldn’t check',
        'It doesn’t support this kind of signature (Ed25519), or couldn’t load the keys. Reload the page, use a newer browser, or check without this page (see below).',
      ],
      choose: ['Nothing to check', 'Choose a file, or paste its text.'],
    },
    ends: {
      complete: (time: string) => `All receipts as of ${time} are here.`,
      awaitsSignature: (time: string) =>
        `All receipts as of ${time} are here, except for a change whose receipt isn’t signed yet.`,
      moreCame: (time: string, count: string) =>
        `All receipts as of ${time} are here, and ${count} later ones. No signature shows whether these are the last.`,
      unlessMoreCame: 'No signature shows which receipt is the last. Compare it with the request.',
    },
    mark: 'checked',
    badMark: 'wrong',
    place: 'Receipt',
    reasons: {
      changed: 'It was changed after it was signed.',
      malformed: 'It isn’t a valid receipt: it was changed, or is something else.',
      unknownKey: 'It was signed with a key that doesn’t belong to this service.',
      unusableKey: 'The keys of this service can’t be used.',
      newer: 'Its format is newer than this page supports.',
      otherId: 'Its ID differs from the signed one.',
      empty: 'It contains no receipt.',
      otherRequest: 'It belongs to a different request than the first receipt.',
      twice: 'It is a duplicate: an earlier receipt records the same change.',
      missing: 'A receipt before it is missing, or the order is wrong.',
      newest: 'The newest receipts are missing.',
      otherHead: 'The signed end of the list belongs to other receipts.',
    },
  },
};
