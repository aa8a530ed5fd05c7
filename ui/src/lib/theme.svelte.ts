/** Light, dark, or as the system says. */
export type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'switchboard.theme';

class ThemeChoice {
  value = $state<Theme>(stored());

  set(theme: Theme): void {
    this.value = theme;
    localStorage.setItem(STORAGE_KEY, theme);
    apply(theme);
  }
}

function stored(): Theme {
  const value = typeof localStorage === 'undefined' ? null : localStorage.getItem(STORAGE_KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export const themeChoice = new ThemeChoice();

export function startTheme(): void {
  apply(themeChoice.value);
}
