"""exit-code.py CODE COMMAND...: succeeds if the command exits with CODE."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL)
if done.returncode != int(sys.argv[1]):
    sys.exit(f"exit status {done.returncode}, expected {sys.argv[1]}")
