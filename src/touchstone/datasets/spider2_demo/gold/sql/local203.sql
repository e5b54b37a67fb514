SELECT "test name" FROM tests WHERE "group" = 'Lipids'
