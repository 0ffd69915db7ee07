import { peopleChanges, peopleDone, peopleMain, peopleRefusals } from '../../settings/people.ts';
import { settingsRoutes } from './changes.ts';
import { settingsPage } from './settings-page.ts';

/** The people of a company. */
export const contactRoutes = settingsRoutes({
  path: '/settings',
  permission: 'manage_people',
  show: async (context, feedback) =>
    settingsPage('contacts', context, feedback, {
      main: await peopleMain(context, context.language.m.settings, feedback),
    }),
  done: peopleDone,
  refusals: peopleRefusals,
  changes: peopleChanges,
});
