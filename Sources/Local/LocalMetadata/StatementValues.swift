/// The values of a statement's parameters, in their order; nil is NULL.
typealias StatementValues = [(any ColumnBindable)?]
