import Bowser from 'bowser';

const browsers = new Set(Object.values(Bowser.BROWSER_MAP));
const systems = new Set(Object.values(Bowser.OS_MAP));

/** A browser and its system by their names, such as "Firefox, Linux"; null when it is none that is known. */
export function describeDevice(userAgent: string | undefined): string | null {
  if (userAgent === undefined || userAgent === '') return null;
  const { browser, os } = Bowser.parse(userAgent);
  const names = [browser.name, os.name].filter(
    (name, index) => name !== undefined && (index === 0 ? browsers : systems).has(name),
  );
  return names.length === 0 ? null : names.join(', ');
}
