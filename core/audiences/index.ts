import type { Ports } from '../ports/index.ts';
import * as companyUseCases from './company.ts';
import * as contactUseCases from './contact.ts';
import * as investorUseCases from './investor.ts';
import * as operatorUseCases from './operator.ts';
import * as serviceUseCases from './service.ts';

type Bound<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends (ports: Ports) => infer UseCase
    ? UseCase
    : never;
};

function bind<UseCases extends object>(useCases: UseCases, ports: Ports): Bound<UseCases> {
  const entries = Object.entries(useCases).map(([name, useCase]) => [name, useCase(ports)]);
  return Object.fromEntries(entries) as Bound<UseCases>;
}

export type InvestorUseCases = Bound<typeof investorUseCases>;

export type CompanyUseCases = Bound<typeof companyUseCases>;

export type ContactUseCases = Bound<typeof contactUseCases>;

export type OperatorUseCases = Bound<typeof operatorUseCases>;

export type ServiceUseCases = Bound<typeof serviceUseCases>;

export const createInvestorUseCases = (ports: Ports): InvestorUseCases =>
  bind(investorUseCases, ports);

export const createCompanyUseCases = (ports: Ports): CompanyUseCases =>
  bind(companyUseCases, ports);

export const createContactUseCases = (ports: Ports): ContactUseCases =>
  bind(contactUseCases, ports);

export const createOperatorUseCases = (ports: Ports): OperatorUseCases =>
  bind(operatorUseCases, ports);

export const createServiceUseCases = (ports: Ports): ServiceUseCases =>
  bind(serviceUseCases, ports);
