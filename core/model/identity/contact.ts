/** An address to which a company has its notices sent. */
export interface Contact {
  readonly id: string;
  readonly companyId: string;
  readonly email: string;
  readonly createdAt: Date;
}
