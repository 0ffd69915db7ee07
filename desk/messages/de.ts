import { activity } from './de/activity.ts';
import { common } from './de/common.ts';
import { consent } from './de/consent.ts';
import { data } from './de/data.ts';
import { figures } from './de/figures.ts';
import { receipts } from './de/receipts.ts';
import { settings } from './de/settings.ts';
import { signIn } from './de/sign-in.ts';
import type { Messages } from './en.ts';

export const de: Messages = {
  ...common,
  ...signIn,
  ...consent,
  ...data,
  ...activity,
  ...receipts,
  ...figures,
  ...settings,
};
