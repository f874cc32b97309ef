import Commands
import Glibc

exit(CommandLineTool.run())
