import { exampleIds } from './example-ids.ts';

interface ReceiptExample {
  id: string;
  object: 'consent_receipt';
  jws: string;
}

// Example receipts, signed with the test key of RFC 8037, appendix A.

const grantedJws = [
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNG',
  'siLCJ0eXAiOiJjb25zZW50LXJlY2VpcHQrandzIn0.eyJ2IjoxLCJyZWNlaXB0X2lkIjoicmNwdF8wMTlhYTFi',
  'MmMzZDQ3ZTVmOGE5YjBjMWQyZTNmNGE1YiIsInByZXZpb3VzX3JlY2VpcHRfaWQiOm51bGwsImV2ZW50X2lkIj',
  'oiZXZ0XzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTViIiwiZXZlbnRfdHlwZSI6ImFjY2Vzc19yZXF1',
  'ZXN0LmNyZWF0ZWQiLCJpc3N1ZWRfYXQiOiIyMDI2LTExLTAyVDA5OjMwOjAwLjAwMFoiLCJlbnZpcm9ubWVudC',
  'I6ImxpdmUiLCJhY2Nlc3NfcmVxdWVzdF9pZCI6ImFyXzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTVi',
  'IiwiZGF0YV9zdWJqZWN0Ijp7ImlkIjoiY29faGFyYm9yIiwibmFtZSI6IkhhcmJvciBSb2JvdGljcyJ9LCJkYX',
  'RhX3JlY2lwaWVudCI6eyJpZCI6Imludl8wMTlhYTFiMmMzZDQ3ZTVmOGE5YjBjMWQyZTNmNGE1YiIsIm5hbWUi',
  'OiJTYW5kYm94IENhcGl0YWwifSwicHVycG9zZSI6Ik1vbnRobHkgcmVwb3J0aW5nIHRvIG91ciBwYXJ0bmVycy',
  '4iLCJyZXF1ZXN0ZWRfc2NvcGVzIjpbIm1ldHJpY3M6cmVhZCIsImFjY291bnRzOnJlYWQiLCJzb3VyY2VzOnJl',
  'YWQiXSwiYXBwcm92ZWRfc2NvcGVzIjpbXSwidmFsaWRfdW50aWwiOm51bGwsInN0YXR1cyI6InBlbmRpbmciLC',
  'JhY3RvciI6eyJ0eXBlIjoiaW52ZXN0b3IiLCJpZCI6Imludl8wMTlhYTFiMmMzZDQ3ZTVmOGE5YjBjMWQyZTNm',
  'NGE1YiJ9LCJyZWFzb24iOm51bGx9.3CReKiMVG0s4d9ZMDHsFfFmeqfnjuDAXo_3xbB8upv1wNwyMO4ZcRXjrX',
  'xqN99hkdGR1bHbZlShZLrZH8LWEBQ',
].join('');

export const grantedReceipt: ReceiptExample = {
  id: exampleIds.grantedReceipt,
  object: 'consent_receipt',
  jws: grantedJws,
};

const approvalJws = [
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNG',
  'siLCJ0eXAiOiJjb25zZW50LXJlY2VpcHQrandzIn0.eyJ2IjoxLCJyZWNlaXB0X2lkIjoicmNwdF8wMTlhYTFi',
  'MmMzZDQ3ZTVmOGE5YjBjMWQyZTNmNGE2MSIsInByZXZpb3VzX3JlY2VpcHRfaWQiOiJyY3B0XzAxOWFhMWIyYz',
  'NkNDdlNWY4YTliMGMxZDJlM2Y0YTViIiwiZXZlbnRfaWQiOiJldnRfMDE5YWExYjJjM2Q0N2U1ZjhhOWIwYzFk',
  'MmUzZjRhNjEiLCJldmVudF90eXBlIjoiYWNjZXNzX3JlcXVlc3QuYXBwcm92ZWQiLCJpc3N1ZWRfYXQiOiIyMD',
  'I2LTExLTAyVDA5OjMxOjAwLjAwMFoiLCJlbnZpcm9ubWVudCI6ImxpdmUiLCJhY2Nlc3NfcmVxdWVzdF9pZCI6',
  'ImFyXzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTViIiwiZGF0YV9zdWJqZWN0Ijp7ImlkIjoiY29faG',
  'FyYm9yIiwibmFtZSI6IkhhcmJvciBSb2JvdGljcyJ9LCJkYXRhX3JlY2lwaWVudCI6eyJpZCI6Imludl8wMTlh',
  'YTFiMmMzZDQ3ZTVmOGE5YjBjMWQyZTNmNGE1YiIsIm5hbWUiOiJTYW5kYm94IENhcGl0YWwifSwicHVycG9zZS',
  'I6Ik1vbnRobHkgcmVwb3J0aW5nIHRvIG91ciBwYXJ0bmVycy4iLCJyZXF1ZXN0ZWRfc2NvcGVzIjpbIm1ldHJp',
  'Y3M6cmVhZCIsImFjY291bnRzOnJlYWQiLCJzb3VyY2VzOnJlYWQiXSwiYXBwcm92ZWRfc2NvcGVzIjpbIm1ldH',
  'JpY3M6cmVhZCIsImFjY291bnRzOnJlYWQiLCJzb3VyY2VzOnJlYWQiXSwidmFsaWRfdW50aWwiOiIyMDMxLTEx',
  'LTAyVDA5OjMxOjAwLjAwMFoiLCJzdGF0dXMiOiJhcHByb3ZlZCIsImFjdG9yIjp7InR5cGUiOiJvcGVyYXRvci',
  'IsImlkIjpudWxsfSwicmVhc29uIjpudWxsfQ.ylB3gmv1Q6PfuJ3O-m5_iB4v8AfePi5BicernHwXjSA_qEPlT',
  '_l4pFmEBKeUsGNiFxSvy-5n3m0BI8iHcVsNCg',
].join('');

export const approvalReceipt: ReceiptExample = {
  id: exampleIds.approvalReceipt,
  object: 'consent_receipt',
  jws: approvalJws,
};

const waitingJws = [
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNG',
  'siLCJ0eXAiOiJjb25zZW50LXJlY2VpcHQrandzIn0.eyJ2IjoxLCJyZWNlaXB0X2lkIjoicmNwdF8wMTlhYTFi',
  'MmMzZDQ3ZTVmOGE5YjBjMWQyZTNmNGE1YyIsInByZXZpb3VzX3JlY2VpcHRfaWQiOm51bGwsImV2ZW50X2lkIj',
  'oiZXZ0XzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTVjIiwiZXZlbnRfdHlwZSI6ImFjY2Vzc19yZXF1',
  'ZXN0LmNyZWF0ZWQiLCJpc3N1ZWRfYXQiOiIyMDI2LTExLTAyVDA5OjMwOjAwLjAwMFoiLCJlbnZpcm9ubWVudC',
  'I6ImxpdmUiLCJhY2Nlc3NfcmVxdWVzdF9pZCI6ImFyXzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTVj',
  'IiwiZGF0YV9zdWJqZWN0Ijp7ImlkIjoiY29fanVuaXBlciIsIm5hbWUiOiJKdW5pcGVyIEhlYWx0aCJ9LCJkYX',
  'RhX3JlY2lwaWVudCI6eyJpZCI6Imludl8wMTlhYTFiMmMzZDQ3ZTVmOGE5YjBjMWQyZTNmNGE1YiIsIm5hbWUi',
  'OiJTYW5kYm94IENhcGl0YWwifSwicHVycG9zZSI6Ik1vbnRobHkgcmVwb3J0aW5nIHRvIG91ciBwYXJ0bmVycy',
  '4iLCJyZXF1ZXN0ZWRfc2NvcGVzIjpbIm1ldHJpY3M6cmVhZCIsImFjY291bnRzOnJlYWQiLCJzb3VyY2VzOnJl',
  'YWQiXSwiYXBwcm92ZWRfc2NvcGVzIjpbXSwidmFsaWRfdW50aWwiOm51bGwsInN0YXR1cyI6InBlbmRpbmciLC',
  'JhY3RvciI6eyJ0eXBlIjoiaW52ZXN0b3IiLCJpZCI6Imludl8wMTlhYTFiMmMzZDQ3ZTVmOGE5YjBjMWQyZTNm',
  'NGE1YiJ9LCJyZWFzb24iOm51bGx9.BN_Rdp5j8dzdCjZiwtcW5dA48w_-jFyNceSZDpDmNYdECKIZsYPjLjQ9c',
  '5o51p98OFM7Dsugz80ZjXfLQE2SBQ',
].join('');

export const waitingReceipt: ReceiptExample = {
  id: exampleIds.waitingReceipt,
  object: 'consent_receipt',
  jws: waitingJws,
};

// The signed heads of both example lists, from the time before the first approval.

export const grantedHead = [
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNG',
  'siLCJ0eXAiOiJjb25zZW50LXJlY2VpcHRzLWhlYWQrandzIn0.eyJ2IjoxLCJlbnZpcm9ubWVudCI6ImxpdmUi',
  'LCJhY2Nlc3NfcmVxdWVzdF9pZCI6ImFyXzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTViIiwicmVjZW',
  'lwdHMiOjEsImxhc3RfcmVjZWlwdF9pZCI6InJjcHRfMDE5YWExYjJjM2Q0N2U1ZjhhOWIwYzFkMmUzZjRhNWIi',
  'LCJpc3N1ZWRfYXQiOiIyMDI2LTExLTAyVDA5OjMwOjMwLjAwMFoifQ.R3HdBeyv0J6zwlOiPFmcctg_Hkze8_f',
  'XY47saJyxX8TMvvC1eDL-nc7J8bLnKJkHUMp3M-p925GqdOcRQRY2CQ',
].join('');

export const waitingHead = [
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNG',
  'siLCJ0eXAiOiJjb25zZW50LXJlY2VpcHRzLWhlYWQrandzIn0.eyJ2IjoxLCJlbnZpcm9ubWVudCI6ImxpdmUi',
  'LCJhY2Nlc3NfcmVxdWVzdF9pZCI6ImFyXzAxOWFhMWIyYzNkNDdlNWY4YTliMGMxZDJlM2Y0YTVjIiwicmVjZW',
  'lwdHMiOjEsImxhc3RfcmVjZWlwdF9pZCI6InJjcHRfMDE5YWExYjJjM2Q0N2U1ZjhhOWIwYzFkMmUzZjRhNWMi',
  'LCJpc3N1ZWRfYXQiOiIyMDI2LTExLTAyVDA5OjMwOjMwLjAwMFoifQ.AflKOseSGmEEuqifjRV3b31WjML1Uw2',
  '0n_rPmyDuiGBnHQyR81wG1b9AmLeeUx6RWCnGQj2sQVKiEinoHhkXAQ',
].join('');
