// What an operator does, and a company through the operator.
export { importRecords } from './company-data/import-records.ts';
export {
  addToPortfolio,
  createCompany,
  listCompanies,
  removeFromPortfolio,
} from './company-data/manage-companies.ts';
export {
  approveAccessRequest,
  declineAccessRequest,
  expireAccessRequests,
  revokeAccessRequest,
} from './consent/decide-access-request.ts';
export { dropAccessRecords, listCompanyAccessRecords } from './consent/list-access-records.ts';
export { listAccessEvents, listCompanyAccessRequests } from './consent/list-access-requests.ts';
export {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './identity/manage-api-keys.ts';
export { createInvestor, listInvestors } from './identity/manage-investors.ts';
