"""What `compare_table` looks at in a workbook: one module per aspect."""
