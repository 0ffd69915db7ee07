/** The demo has them, so what the documents show can be tried on it as it stands. */
export const exampleIds = {
  investor: 'inv_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  /** Of co_harbor, which has approved. */
  granted: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  grantedEvent: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  grantedReceipt: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  approvalEvent: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a61',
  approvalReceipt: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a61',
  /** Of co_juniper, which has not answered. */
  waiting: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  waitingEvent: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  waitingVersion: 'ver_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  waitingReceipt: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  /** Likewise, of another investor. */
  alsoWaiting: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5d',
  alsoWaitingVersion: 'ver_019aa1b2c3d47e5f8a9b0c1d2e3f4a5d',
  /** Of a company of the sandbox that never answers. */
  unanswered: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5e',
  /** Of co_juniper. */
  webhookEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  oldWebhookEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  /** Of the investor. */
  investorEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5d',
  oldInvestorEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5e',
} as const;
