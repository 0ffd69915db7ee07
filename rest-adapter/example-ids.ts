/** IDs of objects in the demo, so that the examples in the API documentation work there. */
export const exampleIds = {
  investor: 'inv_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  /** The approved access request for co_harbor. */
  granted: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  grantedEvent: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  grantedReceipt: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  approvalEvent: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a61',
  approvalReceipt: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a61',
  /** The pending access request for co_juniper. */
  waiting: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  waitingEvent: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  waitingVersion: 'ver_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  waitingReceipt: 'rcpt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  /** The pending access request of another investor for co_juniper. */
  alsoWaiting: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5d',
  alsoWaitingVersion: 'ver_019aa1b2c3d47e5f8a9b0c1d2e3f4a5d',
  /** The access request for a sandbox company that never answers. */
  unanswered: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5e',
  webhookEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  oldWebhookEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
  investorEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5d',
  oldInvestorEndpoint: 'we_019aa1b2c3d47e5f8a9b0c1d2e3f4a5e',
} as const;
