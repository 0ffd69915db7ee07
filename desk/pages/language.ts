import { setLanguage } from '../cookies.ts';
import { languages } from '../messages/index.ts';
import { forAnyone } from '../route.ts';
import { safePagePath } from '../security.ts';

export const languageRoutes = [
  forAnyone.post('/language', ({ form, reply }) => {
    const wanted = form.text('language') ?? '';
    if (languages.has(wanted)) setLanguage(reply, wanted);
    return { to: safePagePath(form.text('back')) };
  }),
];
