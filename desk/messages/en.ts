import { activity } from './en/activity.ts';
import { common } from './en/common.ts';
import { consent } from './en/consent.ts';
import { data } from './en/data.ts';
import { figures } from './en/figures.ts';
import { receipts } from './en/receipts.ts';
import { settings } from './en/settings.ts';
import { signIn } from './en/sign-in.ts';

/** The English texts. All other languages have texts with the same names and the same parameters. */
export const en = {
  ...common,
  ...signIn,
  ...consent,
  ...data,
  ...activity,
  ...receipts,
  ...figures,
  ...settings,
};

export type Messages = typeof en;
